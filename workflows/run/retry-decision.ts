import type { RetryPolicy } from './retry-policy.ts';

/** An attempt that did not succeed but may be made again. */
export type RetryableOutcome =
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | { kind: 'connection_error'; message: string; retryAfterSeconds?: number | undefined };

/** Of a step so far, the outcome under decision included. */
export interface Counts {
  attempts: number;
  rateLimitHits: number;
  connectionErrors: number;
}

export type RetryDecision =
  | { kind: 'wait'; reason: RetryableOutcome['kind']; seconds: number }
  | { kind: 'fail'; reason: 'budget_exhausted'; delaySeconds: number };

/** The one retry policy (docs/reference/retries.md). */
export function decideRetry(
  outcome: RetryableOutcome,
  counts: Counts,
  elapsedSeconds: number,
  policy: RetryPolicy,
): RetryDecision {
  const seconds = delaySeconds(outcome, counts, policy);
  // Compared this way round, so that NaN fails the run: a timer of NaN never fires, and the run would hang.
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

/** Seconds; undefined where the container's value cannot be waited. At least one, or the attempts would follow one another without a pause. */
function usableRetryAfter(seconds: number | undefined): number | undefined {
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? Math.max(1, seconds) : undefined;
}
