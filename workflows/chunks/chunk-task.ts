import type { ProviderBackoff } from '../../contract/provider.ts';
import type { AttemptOutcome, CallOutcome, LostCall } from '../limiter/client/call-outcome.ts';
import { providerBackoffSeconds } from './provider-backoff.ts';

/** State of a chunk that survives continuing as new. */
export type ChunkTask =
  | OpenChunkTask
  | { kind: 'completed'; attempts: number; provider?: string }
  | { kind: 'failed'; attempts: number; provider?: string; error: string; message: string };

export interface OpenChunkTask {
  kind: 'open';
  /** Failed attempts. */
  attempts: number;
  /** Calls whose worker died. */
  lost: number;
  /** Consecutive permits that expired without a call. */
  unused?: number;
  /** Keys whose providers forbade the chunk. They would refuse it again, and may bill each call. */
  forbidden?: readonly string[];
  /** Set while the chunk waits for its next attempt; `untilMs` is ms of the epoch. */
  backoff?: { untilMs: number; error: string };
}

/** A chunk that has lost this many workers causes the crashes, as far as the run can tell. */
const maxLostCalls = 10;

/** Consecutive unused permits, which take about an hour; after them, the run assumes that no worker exists. */
const maxUnusedPermits = 20;
const longestUnusedPauseSeconds = 300;

export const newChunkTask: OpenChunkTask = { kind: 'open', attempts: 0, lost: 0 };

interface EndedAttempt {
  outcome: AttemptOutcome;
  provider: string;
  backoff: ProviderBackoff;
  nowMs: number;
  /** 0 to 1 */
  random: () => number;
}

export function recordAttempt(
  { attempts, lost, unused = 0, forbidden }: OpenChunkTask,
  { outcome, provider, backoff, nowMs, random }: EndedAttempt,
): ChunkTask {
  const attempt = attempts + 1;
  const kept = { kind: 'open', lost, ...(forbidden !== undefined && { forbidden }) } as const;
  if (outcome.kind === 'ok') return { kind: 'completed', attempts: attempt, provider };
  if (outcome.kind === 'unused') {
    const error = 'permit_unused';
    if (unused + 1 >= maxUnusedPermits) {
      const message = `${unused + 1} consecutive permits expired without a call: ${outcome.message}`;
      return { kind: 'failed', attempts, provider, error, message };
    }
    const untilMs = nowMs + Math.min(2 ** unused, longestUnusedPauseSeconds) * 1000;
    return { ...kept, attempts, unused: unused + 1, backoff: { untilMs, error } };
  }
  if (outcome.kind === 'unauthorized') {
    const attempts = outcome.called ? attempt : attempt - 1;
    return { kind: 'failed', attempts, provider, error: 'unauthorized', message: outcome.message };
  }
  const { message, retryAfterSeconds } = outcome;
  const limited = outcome.kind === 'rate_limited';
  const error = limited ? 'rate_limited' : outcome.error;
  if (!(limited || outcome.retryable) || attempt >= backoff.attempts) {
    return { kind: 'failed', attempts: attempt, provider, error, message };
  }
  const seconds = providerBackoffSeconds(attempt, backoff, retryAfterSeconds, random);
  return { ...kept, attempts: attempt, backoff: { untilMs: nowMs + Math.round(seconds * 1000), error } };
}

export function recordForbidden(task: OpenChunkTask, key: string): OpenChunkTask {
  return { ...task, forbidden: [...(task.forbidden ?? []), key] };
}

/** `ended` is the outcome of the call: the tenth lost call of a chunk fails it. */
export function recordLostCall(task: OpenChunkTask, outcome: LostCall): { task: OpenChunkTask; ended: CallOutcome } {
  const lost = task.lost + 1;
  const message = `${lost} workers were lost while processing this chunk`;
  const failure = {
    kind: 'failed',
    fault: 'worker',
    called: true,
    error: 'worker_lost',
    message,
    retryable: false,
  } as const;
  return { task: { ...task, lost }, ended: lost < maxLostCalls ? outcome : failure };
}
