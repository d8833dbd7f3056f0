import type { RetryPolicy } from './retry-policy.ts';

/** A failure after which the attempt may be repeated. */
export type RetryableOutcome =
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | { kind: 'connection_error'; message: string; retryAfterSeconds?: number | undefined };

/** Counts of a step so far, including the outcome being decided. */
export interface Counts {
  attempts: number;
  rateLimitHits: number;
  connectionErrors: number;
}

export type RetryDecision =
  | { kind: 'wait'; reason: RetryableOutcome['kind']; seconds: number }
  | { kind: 'fail'; reason: 'budget_exhausted'; delaySeconds: number };

/** The retry policy of all workflows (docs/reference/retries.md). */
export function decideRetry(
  outcome: RetryableOutcome,
  counts: Counts,
  elapsedSeconds: number,
  policy: RetryPolicy,
): RetryDecision {
  const seconds = delaySeconds(outcome, counts, policy);
  // The comparison is false for NaN, which fails the run. A timer of NaN would never fire, and the run would hang.
  return elapsedSeconds + seconds + policy.retryBuffer <= policy.maxRetryTime
    ? { kind: 'wait', reason: outcome.kind, seconds }
    : { kind: 'fail', reason: 'budget_exhausted', delaySeconds: seconds };
}

function delaySeconds(outcome: RetryableOutcome, counts: Counts, policy: RetryPolicy): number {
  const retryAfter = usableRetryAfter(outcome.retryAfterSeconds);
  switch (outcome.kind) {
    case 'rate_limited':
      return retryAfter ?? policy.baseDelay;
    case 'connection_error':
      return Math.max(backoffSeconds(counts.connectionErrors, policy), retryAfter ?? 0);
  }
}

function backoffSeconds(connectionErrors: number, policy: RetryPolicy): number {
  return Math.min(policy.baseDelay * 2 ** Math.max(0, connectionErrors - 1), policy.maxDelay);
}

/** Seconds; undefined if the container's value is not a valid wait. At least one, so that attempts never loop tightly. */
function usableRetryAfter(seconds: number | undefined): number | undefined {
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? Math.max(1, seconds) : undefined;
}
