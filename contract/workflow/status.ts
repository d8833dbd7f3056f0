import type { JobPhase } from '../http/job.ts';

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

/** What the query `status` answers (docs/contract.md, "Workflows"). */
export interface WorkflowStatus {
  /** `prepare`, the phases of the container's job, `process` and `assemble` with a provider, or `done` */
  phase: 'prepare' | JobPhase | 'process' | 'assemble' | 'done';
  state: 'queued' | 'running' | 'waiting' | 'done' | 'failed';
  percent: number;
  attempt: number;
  waiting?: {
    reason: 'rate_limited' | 'connection_error';
    /** ISO 8601 */
    until: string;
    seconds: number;
  };
  elapsedSeconds: number;
  budgetLeftSeconds: number;
  etaSeconds?: number;
  /** With `provider`, from when the chunks are cut. */
  chunks?: ({ index: number } & ChunkState)[];
  /** To the end of all chunks, as it follows from permits, rate and throttle. */
  estimatedDelaySeconds?: number;
  /** A limiter does not answer: only the limit of each worker applies. */
  degraded?: boolean;
  /** Keys for which no call is started at present. */
  throttled?: { provider: string; until: string; reason: string }[];
}
