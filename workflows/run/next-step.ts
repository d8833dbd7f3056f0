import type { RetryPolicy } from './retry-policy.ts';

/** An attempt that did not succeed but may be made again. */
export type RetryableOutcome =
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | { kind: 'connection_error'; message: string; retryAfterSeconds?: number | undefined };

/** All of them with the outcome under decision. */
export interface Counts {
  attempts: number;
  rateLimitHits: number;
  connectionErrors: number;
}

export type NextStep =
  | { kind: 'wait'; reason: RetryableOutcome['kind']; seconds: number }
  | { kind: 'fail'; reason: 'budget_exhausted'; delaySeconds: number };

/** The one retry policy (contract 2). */
export function nextStep(
  outcome: RetryableOutcome,
  counts: Counts,
  elapsedSeconds: number,
  policy: RetryPolicy,
): NextStep {
  const seconds = delaySeconds(outcome, counts, policy);
  // Asked this way round, so that anything that is not a number fails the run: a timer of NaN would hang it for ever.
  return elapsedSeconds + seconds + policy.retryBuffer <= policy.maxRetryTime
    ? { kind: 'wait', reason: outcome.kind, seconds }
    : { kind: 'fail', reason: 'budget_exhausted', delaySeconds: seconds };
}

function delaySeconds(outcome: RetryableOutcome, counts: Counts, policy: RetryPolicy): number {
  const asked = askedSeconds(outcome.retryAfterSeconds);
  switch (outcome.kind) {
    case 'rate_limited':
      return asked ?? policy.baseDelay;
    case 'connection_error':
      return Math.max(backoffSeconds(counts.connectionErrors, policy), asked ?? 0);
  }
}

function backoffSeconds(connectionErrors: number, policy: RetryPolicy): number {
  return Math.min(policy.baseDelay * 2 ** Math.max(0, connectionErrors - 1), policy.maxDelay);
}

/** A container that asks for nothing sensible has asked for nothing; below a second it would make us spin. */
function askedSeconds(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.max(1, value) : undefined;
}
