import { Context, type Info } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import {
  jobProgressSignal,
  type AttemptContext,
  type AttemptState,
  type ContainerPlace,
  type JobLocation,
  type JobProgress,
} from '../../contract/activity.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { confirmActivity } from '../confirm-activity.ts';
import { advancesOf, type FollowedJob } from './followed-job.ts';
import { isWorthSending, jobProgress, type SentProgress } from './job-progress.ts';

/** What each heartbeat leaves for the worker that takes over from a lost one. The Web UI shows it too. */
export interface HeartbeatDetails {
  state: AttemptState;
  /** Lost so far, as in `FailedAttempt`. */
  ranMs: number;
  /** Of the job, when it was last looked at. */
  advances?: number;
  advanced?: boolean;
  phase?: FollowedJob['phase'];
  percent?: number;
  /** For whoever looks at the run while it goes on: signals of progress are too few for these. */
  etaSeconds?: number;
  speed?: number;
  video?: FollowedJob['video'];
}

/** How often a worker tells that it is there. Temporal knows it as lost after some of these. */
const heartbeatIntervalMs = 1_000;

/** One activity of an attempt while it runs in this worker. */
export class Attempt {
  readonly idempotencyKey: string;
  readonly step: string;
  readonly signal: AbortSignal;
  /** Kept up to date: it goes along with every heartbeat and every failure. */
  state: AttemptState;
  /** Of the URLs in the job's request, where we have signed them. */
  urlsExpireAtMs: number | undefined;
  /** Ends what was begun at a store for the job, when that is ended. */
  abandonUploads: (() => Promise<void>) | undefined;
  readonly #context: Context;
  #lostBeforeMs: number;
  #sinceMs = performance.now();
  #advances: number;
  #advanced: boolean;
  #job: FollowedJob | undefined;
  #heartbeats: NodeJS.Timeout | undefined;
  #lastSent: SentProgress | undefined;
  #sending: Promise<void> | undefined;

  constructor(context: AttemptContext) {
    this.#context = Context.current();
    this.signal = this.#context.cancellationSignal;
    this.step = context.step;
    this.idempotencyKey = context.idempotencyKey;
    const before = lastHeartbeat(this.#context.info);
    this.state = before?.state ?? context.state;
    this.#lostBeforeMs = before?.ranMs ?? 0;
    this.#advances = before?.advances ?? 0;
    this.#advanced = before?.advanced ?? false;
  }

  /** Until `stop`. On a timer, because a heartbeat tells that this worker is there; whether the job advances is the container's to judge. */
  startHeartbeats(): void {
    this.heartbeat();
    this.#heartbeats = setInterval(() => this.heartbeat(), heartbeatIntervalMs);
  }

  /** Waits for a signal under way: after the attempt's end it would tell of a job that is over. */
  async stop(): Promise<void> {
    clearInterval(this.#heartbeats);
    await this.#sending;
  }

  get advanced(): boolean {
    return this.#advanced;
  }

  /** Since the job's last advance, else since the beginning, by the workers before, too. */
  ranMs(): number {
    return this.#lostBeforeMs + Math.round(performance.now() - this.#sinceMs);
  }

  /** A worker that had this activity before is lost: what it did last may be known to nobody. */
  get isTakenOver(): boolean {
    return this.#context.info.attempt > 1;
  }

  /** When the activity was first given to a worker. */
  get scheduledMs(): number {
    return this.#context.info.scheduledTimestampMs;
  }

  setLocation(location: JobLocation | undefined): void {
    const { location: _, ...rest } = this.state;
    this.state = location === undefined ? rest : { ...rest, location };
  }

  /** While the answer to a request is outstanding. */
  setAsked(place: ContainerPlace | undefined): void {
    const { asked: _, ...rest } = this.state;
    this.state = place === undefined ? rest : { ...rest, asked: place };
  }

  /** Of the job that looks at the source before the step's own. */
  setProbing(location: JobLocation | undefined): void {
    const { probing: _, ...rest } = this.state;
    this.state = location === undefined ? rest : { ...rest, probing: location };
  }

  /** A new view of the step's job. */
  observe(job: FollowedJob, location: JobLocation): void {
    this.#job = job;
    this.noteAdvance(job);
    this.#signalProgress(jobProgress(this.step, job, location));
  }

  /** An advance ends the time that was lost so far. */
  noteAdvance(job: FollowedJob): void {
    if (advancesOf(job) <= this.#advances) return;
    this.#advances = advancesOf(job);
    this.#advanced = true;
    this.#lostBeforeMs = 0;
    this.#sinceMs = performance.now();
  }

  heartbeat(): void {
    this.#context.heartbeat(this.#details());
  }

  /** Has the server know the state, and throws where it has given the activity to another worker. */
  async confirm(): Promise<void> {
    await confirmActivity(this.#details());
  }

  /** Asks the server to cancel the workflow: without that it would end as failed. */
  async cancelWorkflow(): Promise<void> {
    try {
      await this.#workflow()?.cancel();
    } catch (error) {
      this.#context.log.warn('The workflow of a cancelled job could not be cancelled', { error });
    }
  }

  /** Without holding up the following of the job. A signal that is lost costs nothing but its display. */
  #signalProgress(progress: JobProgress): void {
    const nowMs = performance.now();
    if (this.#sending !== undefined || !isWorthSending(progress, this.#lastSent, nowMs)) return;
    this.#lastSent = { progress, atMs: nowMs };
    this.#sending = this.#send(progress).finally(() => (this.#sending = undefined));
  }

  async #send(progress: JobProgress): Promise<void> {
    try {
      await this.#workflow()?.signal(jobProgressSignal, progress);
    } catch (error) {
      this.#context.log.debug('The workflow could not be told of its job', { error });
    }
  }

  #details(): HeartbeatDetails {
    return {
      state: this.state,
      ranMs: this.ranMs(),
      advances: this.#advances,
      advanced: this.#advanced,
      ...shownOf(this.#job),
    };
  }

  #workflow(): WorkflowHandle | undefined {
    const { workflowExecution } = this.#context.info;
    if (workflowExecution === undefined) return undefined;
    return this.#context.client.workflow.getHandle(workflowExecution.workflowId, workflowExecution.runId);
  }
}

/** What of the job is shown to those who look at the run. */
function shownOf(job: FollowedJob | undefined): Partial<HeartbeatDetails> {
  if (job === undefined) return {};
  const { phase, percent, etaSeconds, speed, video } = job;
  return definedFields({ phase, percent, etaSeconds, speed, video });
}

/** The last heartbeat of a lost worker that had this attempt before. */
function lastHeartbeat(info: Info): HeartbeatDetails | undefined {
  return (info.heartbeatDetails as HeartbeatDetails | undefined) ?? undefined;
}
