import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { containerClients } from '../../activities/container/client.ts';
import type { HeartbeatDetails } from '../../activities/container/attempt.ts';
import type { ChunkActivityResult } from '../../activities/container/chunk.ts';
import type { EncodeActivityResult } from '../../activities/container/encode.ts';
import type { HeaderVariables } from '../../activities/container/resolve-headers.ts';
import { createContainerActivities } from '../../activities/index.ts';
import type { MultipartUploads } from '../../activities/storage/multipart.ts';
import type { Presigner } from '../../activities/storage/presign.ts';
import type {
  AttemptContext,
  ChunkActivityInput,
  EncodeActivityInput,
  FailedAttempt,
  JobProgress,
  TimedResult,
} from '../../contract/activity.ts';
import { fakeMultipart, fakePresigner } from './fake-presigner.ts';

export interface AttemptSetup {
  context?: Partial<AttemptContext>;
  /** What a lost worker has left. */
  heartbeatDetails?: HeartbeatDetails;
  presigner?: Presigner;
  multipart?: MultipartUploads;
  /** Above 1 where another worker had the activity before. */
  activityAttempt?: number;
  headerVariables?: HeaderVariables;
  token?: string;
  /** Of the workflow, where the activity asks. */
  workflowStatus?: 'RUNNING' | 'TERMINATED';
}

/** One attempt without a worker: what it sends to Temporal is kept here. */
export class TestAttempt {
  readonly heartbeats: HeartbeatDetails[] = [];
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
      describe: async () => ({ status: { name: setup.workflowStatus ?? 'RUNNING' } }),
    };
    const client = {
      workflow: { getHandle: () => handle },
      withAbortSignal: <T>(_: AbortSignal, body: () => T) => body(),
    } as unknown as Client;
    this.environment = new MockActivityEnvironment(
      { heartbeatDetails: setup.heartbeatDetails, attempt: setup.activityAttempt ?? 1 },
      { client },
    );
    this.environment.on('heartbeat', (details: HeartbeatDetails) => this.heartbeats.push(details));
  }

  encode(input: Partial<EncodeActivityInput> = {}): Promise<TimedResult<EncodeActivityResult>> {
    const output = { format: 'mp3_128', uploadUrl: 'file:///out.mp3' };
    const whole = { sourceUrl: 'file:///in.wav', outputs: [output], ...input };
    return this.environment.run(this.#activities().encode, whole, this.#context());
  }

  chunk(input: Partial<ChunkActivityInput> = {}): Promise<TimedResult<ChunkActivityResult>> {
    const whole = { sourceUrl: 'file:///in.mp3', chunkDuration: 60, overlapDuration: 2, ...input };
    return this.environment.run(this.#activities().chunk, whole, this.#context());
  }

  #activities() {
    const { presigner = fakePresigner, multipart = fakeMultipart } = this.#setup;
    const { headerVariables = new Map<string, string>(), token } = this.#setup;
    const dependencies = { clients: containerClients(token), presigner, multipart, headerVariables };
    return createContainerActivities(dependencies, this.#containerUrl);
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

/** How an attempt failed; an error that is no ApplicationFailure is thrown. */
export async function failureOf(attempt: Promise<unknown>): Promise<Failed> {
  try {
    await attempt;
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return { type: error.type, message: error.message, facts: error.details?.[0] as FailedAttempt };
  }
  throw new Error('expected the attempt to fail');
}

/** Polls, since no event tells of it. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
