import type { JobPhase, VideoProgress } from '../http/job.ts';
import type { Unreached } from './failure.ts';
import type { SpreadStatus } from './spread.ts';

/** Query that every workflow answers with its WorkflowStatus. */
export const statusQuery = 'status';

/** Progress of a chunk at its provider. Times are ISO 8601. */
export type ChunkState =
  | { state: 'pending' }
  | { state: 'waiting_for_permit'; attempt: number }
  | { state: 'processing'; attempt: number; provider: string }
  /** `attempt` failed; the next one follows after `until`. */
  | { state: 'backoff'; attempt: number; until: string; error: string }
  | { state: 'completed' }
  | { state: 'failed'; error: string; message: string };

export type StepState = 'queued' | 'running' | 'waiting' | 'done' | 'failed';

/** A timer of the workflow between two attempts. */
export interface WaitStatus {
  reason: 'rate_limited' | 'connection_error';
  /** Set if something other than the container was unreachable. */
  unreached?: Unreached;
  /** The error after which the workflow waits; not set for `rate_limited`. */
  error?: string;
  /** ISO 8601 */
  until: string;
  seconds: number;
}

/** One step of a run: a container job with all its attempts. */
export interface StepStatus {
  /** Unique in its run: `encode`, `chunk` */
  id: string;
  /** `prepare` until a job has reported its phase; `process` while another run makes the transcript */
  phase: 'prepare' | JobPhase | 'process';
  state: StepState;
  percent: number;
  attempt: number;
  /** Host and port of the container, while the job runs. */
  container?: string;
  waiting?: WaitStatus;
}

/**
 * Answer of the query `status` (docs/reference/workflows.md). If several steps are active, phase, state, attempt and
 * wait are those of one of them: a running step, else a waiting one, else a queued one.
 */
export interface WorkflowStatus {
  /** `prepare`, the phases of the container's job, `process` and `assemble` with a provider, or `done` */
  phase: StepStatus['phase'] | 'assemble' | 'done';
  state: StepState;
  /** Progress of the whole run, in which each step has its share. */
  percent: number;
  attempt: number;
  waiting?: WaitStatus;
  /** Time of the step that has used most of its budget. */
  elapsedSeconds: number;
  budgetLeftSeconds: number;
  /** Seconds until the last running job ends. */
  etaSeconds?: number;
  /** Seconds of media per second, and progress of pictures, of the same step as `phase`. */
  speed?: number;
  video?: VideoProgress;
  /** Steps in order of their start; undefined while the run has one step. A spread run lists only those under way. */
  steps?: StepStatus[];
  /** Set for a spread run, unless one container encodes the whole film. */
  spread?: SpreadStatus;
  /** Set with a `provider`, once the chunks are cut. */
  chunks?: ({ index: number } & ChunkState)[];
  /** Seconds until all chunks end, estimated from permits, rate and throttle. */
  estimatedDelaySeconds?: number;
  /** A limiter does not answer: only each worker's own limit applies. */
  degraded?: boolean;
  /** Keys for which no call may start now. */
  throttled?: { provider: string; until: string; reason: string }[];
}
