import { Context, type Info } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import {
  jobProgressSignal,
  type AttemptContext,
  type AttemptState,
  type JobLocation,
  type JobProgress,
} from '../../contract/activity.ts';
import { isWorthSending, type SentProgress } from './job-progress.ts';
import type { JobPhase } from '../../contract/http/job.ts';

/** What each heartbeat leaves for the worker that takes over from a lost one. The Web UI shows it too. */
export interface HeartbeatDetails {
  state: AttemptState;
  ranMs: number;
  phase?: JobPhase;
  percent?: number;
}

/** One attempt of a step while it runs in this worker. */
export class Attempt {
  readonly idempotencyKey: string;
  readonly step: string;
  readonly signal: AbortSignal;
  /** Kept up to date: it goes along with every heartbeat and every failure. */
  state: AttemptState;
  /** Ends what was begun at a store for the job, when that is ended. */
  abandonUploads: (() => Promise<void>) | undefined;
  readonly #context: Context;
  readonly #startedMs = performance.now();
  readonly #ranBeforeMs: number;
  #lastSent: SentProgress | undefined;
  #sending: Promise<void> | undefined;

  constructor(context: AttemptContext) {
    this.#context = Context.current();
    this.signal = this.#context.cancellationSignal;
    this.step = context.step;
    this.idempotencyKey = context.idempotencyKey;
    const before = lastHeartbeat(this.#context.info);
    this.state = before?.state ?? context.state;
    this.#ranBeforeMs = before?.ranMs ?? 0;
  }

  /** Over all workers that had this attempt. */
  ranMs(): number {
    return this.#ranBeforeMs + Math.round(performance.now() - this.#startedMs);
  }

  /** A worker that had this attempt before is lost: what it did last may be known to nobody. */
  get isTakenOver(): boolean {
    return this.#context.info.attempt > 1;
  }

  /** When the attempt was first given to a worker. */
  get scheduledMs(): number {
    return this.#context.info.scheduledTimestampMs;
  }

  setLocation(location: JobLocation | undefined): void {
    const { location: _, ...rest } = this.state;
    this.state = location === undefined ? rest : { ...rest, location };
  }

  heartbeat(progress?: { phase: JobPhase; percent: number }): void {
    const details: HeartbeatDetails = {
      state: this.state,
      ranMs: this.ranMs(),
      ...(progress !== undefined && { phase: progress.phase, percent: progress.percent }),
    };
    this.#context.heartbeat(details);
  }

  /** Signals the workflow without holding up the following of the job. A signal that is lost costs nothing but its display. */
  signalProgress(progress: JobProgress): void {
    const nowMs = performance.now();
    if (this.#sending !== undefined || !isWorthSending(progress, this.#lastSent, nowMs)) return;
    this.#lastSent = { progress, atMs: nowMs };
    this.#sending = this.#send(progress).finally(() => (this.#sending = undefined));
  }

  /** Waits for a signal under way: after the attempt's end it would tell of a job that is over. */
  async flushProgress(): Promise<void> {
    await this.#sending;
  }

  /** Asks the server to cancel the workflow: without that it would end as failed. */
  async cancelWorkflow(): Promise<void> {
    try {
      await this.#workflow()?.cancel();
    } catch (error) {
      this.#context.log.warn('The workflow of a cancelled job could not be cancelled', { error });
    }
  }

  async #send(progress: JobProgress): Promise<void> {
    try {
      await this.#workflow()?.signal(jobProgressSignal, progress);
    } catch (error) {
      this.#context.log.debug('The workflow could not be told of its job', { error });
    }
  }

  #workflow(): WorkflowHandle | undefined {
    const { workflowExecution } = this.#context.info;
    if (workflowExecution === undefined) return undefined;
    return this.#context.client.workflow.getHandle(workflowExecution.workflowId, workflowExecution.runId);
  }
}

/** The last heartbeat of a lost worker that had this attempt before. */
function lastHeartbeat(info: Info): HeartbeatDetails | undefined {
  return (info.heartbeatDetails as HeartbeatDetails | undefined) ?? undefined;
}
