import type { JobPhase, VideoProgress } from '../http/job.ts';
import type { Unreached } from './failure.ts';

/** Name of the query that every workflow answers with its WorkflowStatus. */
export const statusQuery = 'status';

/** Where a chunk stands with its provider. Times are ISO 8601. */
export type ChunkState =
  | { state: 'pending' }
  | { state: 'waiting_for_permit'; attempt: number }
  | { state: 'processing'; attempt: number; provider: string }
  /** `attempt` has failed; the next is made after `until`. */
  | { state: 'backoff'; attempt: number; until: string; error: string }
  | { state: 'completed' }
  | { state: 'failed'; error: string; message: string };

export type StepState = 'queued' | 'running' | 'waiting' | 'done' | 'failed';

/** A timer of the workflow between two attempts. */
export interface WaitStatus {
  reason: 'rate_limited' | 'connection_error';
  /** Where it was not the container. */
  unreached?: Unreached;
  /** ISO 8601 */
  until: string;
  seconds: number;
}

/** One step of a run: a job at a container, with all its attempts. */
export interface StepStatus {
  /** Unique in its run: `encode`, `chunk` */
  id: string;
  /** `prepare` until a job has told its phase */
  phase: 'prepare' | JobPhase;
  state: StepState;
  /** Progress of the step. */
  percent: number;
  attempt: number;
  waiting?: WaitStatus;
}

/**
 * What the query `status` answers (docs/reference/workflows.md). Where several steps are under way, phase, state, attempt and
 * wait are those of one of them: of a running step, else of a waiting one, else of a queued one.
 */
export interface WorkflowStatus {
  /** `prepare`, the phases of the container's job, `process` and `assemble` with a provider, or `done` */
  phase: StepStatus['phase'] | 'process' | 'assemble' | 'done';
  state: StepState;
  /** Progress of the whole run, in which each step has its share. */
  percent: number;
  attempt: number;
  waiting?: WaitStatus;
  /** Time of the step that has used most of its budget. */
  elapsedSeconds: number;
  budgetLeftSeconds: number;
  /** Time until the last running job ends. */
  etaSeconds?: number;
  /** Seconds of media for each second of time, and how far pictures are: of the step that all this is of. */
  speed?: number;
  video?: VideoProgress;
  /** Steps in the order of their start; missing while the run has one step. */
  steps?: StepStatus[];
  /** Present with a `provider`, once the chunks are cut. */
  chunks?: ({ index: number } & ChunkState)[];
  /** Time to the end of all chunks, estimated by permits, rate and throttle. */
  estimatedDelaySeconds?: number;
  /** A limiter does not answer: only the limit of each worker applies. */
  degraded?: boolean;
  /** Keys for which no call is started at present. */
  throttled?: { provider: string; until: string; reason: string }[];
}
