import { Context, type Info } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import {
  jobProgressSignal,
  type AttemptContext,
  type AttemptState,
  type JobLocation,
  type JobProgress,
  type RunOfJob,
  type SignedUrls,
} from '../../contract/activity.ts';
import type { Requester } from '../../contract/requester.ts';
import { takeoverHistogram } from '../../contract/workflow-metrics.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { confirmActivity } from '../confirm-activity.ts';
import { advancesOf, type FollowedJob } from './followed-job.ts';
import { isWorthSending, jobProgress, type SentProgress } from './job-progress.ts';

/** Heartbeat details: state for a worker that takes over, also visible in the Web UI. */
export interface HeartbeatDetails {
  state: AttemptState;
  /** Time of the heartbeat; older versions sent none. */
  atMs?: number;
  /** Lost time so far, as in `FailedAttempt`. */
  ranMs: number;
  /** The job's `advances` when it was last seen. */
  advances?: number;
  advanced?: boolean;
  phase?: FollowedJob['phase'];
  percent?: number;
  /** Current estimate; progress signals are too rare for it. */
  etaSeconds?: number;
  speed?: number;
  video?: FollowedJob['video'];
}

/** Temporal gives the activity to another worker after a few missed heartbeats. */
const heartbeatIntervalMs = 1_000;

export class Attempt {
  readonly idempotencyKey: string;
  readonly step: string;
  readonly signal: AbortSignal;
  readonly requester: Requester | undefined;
  /** Current state, sent with every heartbeat and failure. */
  state: AttemptState;
  /** URLs in the job's request that Holdfast signed. */
  signed: SignedUrls | undefined;
  /** Aborts the job's multipart uploads when the job is cancelled. */
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
    this.requester = context.requester;
    const before = lastHeartbeat(this.#context.info);
    if (before?.atMs !== undefined) this.#recordTakeover(Date.now() - before.atMs);
    this.state = before?.state ?? context.state;
    this.#lostBeforeMs = before?.ranMs ?? 0;
    this.#advances = before?.advances ?? 0;
    this.#advanced = before?.advanced ?? false;
  }

  /** Starts a timer: a heartbeat only shows that this worker lives. The container judges whether the job advances. */
  startHeartbeats(): void {
    this.heartbeat();
    this.#heartbeats = setInterval(() => this.heartbeat(), heartbeatIntervalMs);
  }

  /** Waits for a pending signal, which must not report on a job after the attempt has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#heartbeats);
    await this.#sending;
  }

  get advanced(): boolean {
    return this.#advanced;
  }

  /** Time since the job's last advance, or since the start, including earlier workers. */
  ranMs(): number {
    return this.#lostBeforeMs + Math.round(performance.now() - this.#sinceMs);
  }

  /** Whether an earlier worker of this activity was lost, whose last actions may be unknown. */
  get isTakenOver(): boolean {
    return this.#context.info.attempt > 1;
  }

  get run(): RunOfJob | undefined {
    return this.#context.info.workflowExecution;
  }

  get scheduledMs(): number {
    return this.#context.info.scheduledTimestampMs;
  }

  /** Changes parts of the state. Undefined removes a part. */
  set(parts: { [Part in keyof AttemptState]: AttemptState[Part] | undefined }): void {
    this.state = definedFields({ ...this.state, ...parts });
  }

  observe(job: FollowedJob, location: JobLocation): void {
    this.#job = job;
    this.noteAdvance(job);
    this.#signalProgress(jobProgress(this.step, job, location));
  }

  /** An advance of the job resets the lost time. */
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

  /** Sends the state to the server; throws if another worker has taken over the activity. */
  async confirm(): Promise<void> {
    await confirmActivity(this.#details());
  }

  /** Cancels the workflow, which would otherwise end as failed. */
  async cancelWorkflow(): Promise<void> {
    try {
      await this.#workflow()?.cancel();
    } catch (error) {
      this.#context.log.warn('Could not cancel the workflow of a cancelled job', { error });
    }
  }

  /** Sends progress in the background. A lost signal only affects the display. */
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
      this.#context.log.debug('Could not signal progress to the workflow', { error });
    }
  }

  #details(): HeartbeatDetails {
    return {
      state: this.state,
      atMs: Date.now(),
      ranMs: this.ranMs(),
      advances: this.#advances,
      advanced: this.#advanced,
      ...shownOf(this.#job),
    };
  }

  /** Clocks of two machines may differ by more than the time itself. */
  #recordTakeover(ms: number): void {
    const { name, help } = takeoverHistogram;
    this.#context.metricMeter.createHistogram(name, 'float', undefined, help).record(Math.max(0, ms) / 1000);
  }

  #workflow(): WorkflowHandle | undefined {
    const { workflowExecution } = this.#context.info;
    if (workflowExecution === undefined) return undefined;
    return this.#context.client.workflow.getHandle(workflowExecution.workflowId, workflowExecution.runId);
  }
}

function shownOf(job: FollowedJob | undefined): Partial<HeartbeatDetails> {
  if (job === undefined) return {};
  const { phase, percent, etaSeconds, speed, video } = job;
  return definedFields({ phase, percent, etaSeconds, speed, video });
}

/** The last heartbeat of a lost worker of this activity. */
function lastHeartbeat(info: Info): HeartbeatDetails | undefined {
  return (info.heartbeatDetails as HeartbeatDetails | undefined) ?? undefined;
}
