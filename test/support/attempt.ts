import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { defaultActivityInfo, MockActivityEnvironment } from '@temporalio/testing';
import { containerClients } from '../../activities/container/client.ts';
import type { ContainerSlot } from '../../activities/container/container-slot.ts';
import type { HeartbeatDetails } from '../../activities/container/attempt.ts';
import type { Secrets } from '../../activities/secrets.ts';
import { followJobActivity } from '../../activities/container/follow-job.ts';
import { createContainerActivities } from '../../activities/index.ts';
import { Storage } from '../../activities/storage/storage.ts';
import type {
  AcceptedJob,
  AttemptContext,
  ChunkActivityInput,
  EncodeActivityInput,
  FailedAttempt,
  JobLocation,
  JobProgress,
  Submission,
} from '../../contract/activity.ts';
import { chunkStep, encodeStep } from '../../workflows/run/container-steps.ts';
import type { Step } from '../../workflows/run/step.ts';
import type { JobResult } from '../../contract/http/job.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import { type PartSizes, usualPartSizes } from '../../contract/part-plan.ts';
import type { Stores } from '../../stores/backends.ts';
import { fakeStores } from './fake-stores.ts';

export interface AttemptSetup {
  context?: Partial<AttemptContext>;
  /** Heartbeat of a lost worker. */
  heartbeatDetails?: HeartbeatDetails;
  stores?: Stores;
  partSizes?: PartSizes;
  /** Attempt of the activity; above 1 if another worker had it before. */
  activityAttempt?: number;
  headerVariables?: Secrets;
  packageKeys?: Secrets;
  token?: string;
  lease?: string;
  /** True if the server has given the activity to another worker. */
  isTakenOver?: boolean;
  /** Root of the worker's `file:` URLs. */
  mediaRoot?: string;
  /** Status that the activity reads of its workflow. */
  workflowStatus?: 'RUNNING' | 'TERMINATED';
  /** Whether an operator has paused the activity. */
  isPaused?: boolean;
  /** First runs of the workflow that is open under the id and of the activity's own, if they are two. */
  firstRuns?: { open: string; own: string };
}

/** The run of an activity in a `MockActivityEnvironment`. */
const ownRunId = defaultActivityInfo.workflowExecution?.runId;

const encodeOfOne = {
  sourceUrl: 'file:///in.wav',
  outputs: [{ format: 'mp3_128', uploadUrl: 'file:///out.mp3' }],
};

const inTest = { verb: 'Encoding', share: { from: 0, to: 100 } } as const;

/** One attempt without a worker; it records what the activity sends to Temporal. */
export class TestAttempt {
  readonly heartbeats: HeartbeatDetails[] = [];
  /** Heartbeats that the server has acknowledged. */
  readonly recorded: HeartbeatDetails[] = [];
  readonly signals: JobProgress[] = [];
  workflowCancelled = false;
  readonly environment: MockActivityEnvironment;
  readonly #setup: AttemptSetup;
  readonly #containerUrl: string;

  constructor(containerUrl: string, setup: AttemptSetup = {}) {
    this.#containerUrl = containerUrl;
    this.#setup = setup;
    const handle = {
      signal: async (_: string, progress: JobProgress) => void this.signals.push(progress),
      cancel: async () => void (this.workflowCancelled = true),
    };
    const describe = async (runId: string | undefined) => {
      const { firstRuns, workflowStatus: name = 'RUNNING' } = setup;
      const firstRunId = runId === undefined ? firstRuns?.open : firstRuns?.own;
      const { activityId } = defaultActivityInfo;
      const pendingActivities = setup.isPaused === true && name === 'RUNNING' ? [{ activityId, paused: true }] : [];
      const raw = { workflowExecutionInfo: { firstRunId }, pendingActivities };
      return { status: { name }, runId: firstRuns === undefined ? ownRunId : 'open', raw };
    };
    const client = {
      workflow: {
        getHandle: (_: string, runId?: string) => ({ ...handle, describe: async () => describe(runId) }),
      },
      activity: {
        heartbeat: async (_: Uint8Array, details: HeartbeatDetails) => {
          if (setup.isTakenOver === true) throw new ActivityNotFoundError('not found');
          this.recorded.push(details);
        },
      },
      withDeadline: <T>(_: number, body: () => T) => body(),
      withAbortSignal: <T>(_: AbortSignal, body: () => T) => body(),
    } as unknown as Client;
    this.environment = new MockActivityEnvironment(
      { heartbeatDetails: setup.heartbeatDetails, attempt: setup.activityAttempt ?? 1 },
      { client },
    );
    this.environment.on('heartbeat', (details: HeartbeatDetails) => this.heartbeats.push(details));
  }

  /** Submits an encode without following its job. */
  submit(): Promise<Submission> {
    return this.environment.run(this.#activities().encode, encodeOfOne, this.#context());
  }

  encode(input: Partial<EncodeActivityInput> = {}) {
    const whole = { ...encodeOfOne, ...input };
    const { encode } = this.#activities();
    return this.#whole(encodeStep(whole, inTest), (context) => this.environment.run(encode, whole, context));
  }

  chunk(input: Partial<ChunkActivityInput> = {}) {
    const whole = { sourceUrl: 'file:///in.mp3', chunkDuration: 60, overlapDuration: 2, ...input };
    const { chunk } = this.#activities();
    return this.#whole(chunkStep(whole, inTest), (context) => this.environment.run(chunk, whole, context));
  }

  /** Follows a job that another worker has submitted. */
  follow(location: JobLocation, targets: UploadPlace[] = []): Promise<JobResult> {
    return this.environment.run(followJobActivity(this.#following), { location, targets }, this.#context());
  }

  /** Does as the workflow: joins a known job, or submits and follows one, and submits once more if that may succeed. */
  async #whole<Result>(step: Step<Result>, submit: (context: AttemptContext) => Promise<Submission>): Promise<Result> {
    const { heartbeatDetails } = this.#setup;
    let context = this.#context();
    if (heartbeatDetails !== undefined) context = { ...context, state: heartbeatDetails.state };
    const follow = (job: AcceptedJob): Promise<JobResult> => {
      const toFollow = { ...job, ...(step.targets !== undefined && { targets: step.targets }) };
      return this.environment.run(followJobActivity(this.#following), toFollow, context);
    };
    const { location } = context.state;
    if (location !== undefined) {
      try {
        return step.resultOf(await follow({ location }), context.state);
      } catch (error) {
        if (!(error instanceof ApplicationFailure && error.type === 'ConnectionError')) throw error;
        const failed = error.details?.[0] as FailedAttempt | undefined;
        context = { ...context, state: failed?.state ?? {} };
      }
    }
    for (let isAgain = false; ; isAgain = true) {
      try {
        const submission = await submit(context);
        if (submission.kind === 'turned_away') throw new Error('the slot of a test is always its own');
        if (submission.kind === 'finished') return step.resultOf(submission.result, submission.state);
        context = { ...context, state: submission.state };
        return step.resultOf(await follow(submission.job), submission.state);
      } catch (error) {
        const failed = error instanceof ApplicationFailure ? (error.details?.[0] as FailedAttempt) : undefined;
        const state = failed?.resubmit === true ? failed.state : failed && step.amend?.(failed);
        if (state === undefined || isAgain) throw error;
        context = { ...context, state };
      }
    }
  }

  get #following() {
    const { stores = fakeStores(), partSizes = usualPartSizes } = this.#setup;
    return { clients: this.#clients, stores, partSizes };
  }

  get #clients() {
    return containerClients(this.#setup.token);
  }

  #activities() {
    const { headerVariables = new Map(), packageKeys = new Map() } = this.#setup;
    const storage = new Storage(fakeStores({}, this.#setup.mediaRoot));
    const slot: ContainerSlot = {
      client: this.#clients({ containerUrl: this.#containerUrl }),
      place: { containerUrl: this.#containerUrl },
      claim: async () => ({ lease: this.#setup.lease }),
    };
    return createContainerActivities({ ...this.#following, headerVariables, packageKeys, storage }, slot);
  }

  #context(): AttemptContext {
    return { step: 'encode', idempotencyKey: 'run:encode', state: {}, ...this.#setup.context };
  }
}

export interface Failed {
  type: string | null | undefined;
  message: string;
  facts: FailedAttempt;
}

/** The ApplicationFailure of an attempt; other errors are thrown. */
export async function failureOf(attempt: Promise<unknown>): Promise<Failed> {
  try {
    await attempt;
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return { type: error.type, message: error.message, facts: error.details?.[0] as FailedAttempt };
  }
  throw new Error('expected the attempt to fail');
}

/** Polls until a condition holds that no event announces. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 50_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
