import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { AttemptState, FailedAttempt } from '../../contract/activity.ts';
import { type RunFailure, type Unreached, unreachedByCode } from '../../contract/workflow/failure.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { type Elapsed, elapsedSeconds, noTime, withAttempt, withWait } from './elapsed.ts';
import { unknownHost } from '../../contract/unknown-values.ts';
import type { Counts, RetryableOutcome } from './retry-decision.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** The state of a step's retries, which survives continuing as new. */
export interface RetryState extends Counts {
  elapsed: Elapsed;
  attemptState: AttemptState;
  /** Missing if only the container was unreachable, and in the state of runs started by an older version. */
  unreached?: RunFailure['unreached'];
  /** Elapsed seconds at the first of the last attempts in a row that failed at an unknown host name. */
  unknownHostSince?: number;
}

export function newRetryState(attemptState: AttemptState = {}): RetryState {
  return { attempts: 0, rateLimitHits: 0, connectionErrors: 0, elapsed: noTime, attemptState };
}

export function afterAttempt(state: RetryState, ranMs: number): RetryState {
  return { ...state, attempts: state.attempts + 1, elapsed: withAttempt(state.elapsed, ranMs) };
}

export function afterRetryable(state: RetryState, outcome: RetryableOutcome, failed: FailedAttempt): RetryState {
  return {
    ...afterAttempt(state, failed.ranMs),
    rateLimitHits: state.rateLimitHits + (outcome.kind === 'rate_limited' ? 1 : 0),
    connectionErrors: state.connectionErrors + (outcome.kind === 'connection_error' ? 1 : 0),
    attemptState: failed.state,
    ...withUnreached(state, unreachedBy(outcome, failed)),
  };
}

/** Notes whether the source or the store has a host name that does not exist. */
export function withHost(state: RetryState, elapsedSeconds: number, { details }: FailedAttempt): RetryState {
  const { unknownHostSince = elapsedSeconds, ...rest } = state;
  return details?.['errno'] === unknownHost ? { ...rest, unknownHostSince } : rest;
}

/** Undefined means the container. */
export function unreachedBy({ kind }: RetryableOutcome, { code = '' }: FailedAttempt): Unreached | undefined {
  return kind === 'connection_error' ? unreachedByCode[code] : undefined;
}

function withUnreached({ unreached = {} }: RetryState, who: Unreached | undefined): Pick<RetryState, 'unreached'> {
  return who === undefined ? {} : { unreached: { ...unreached, [who]: (unreached[who] ?? 0) + 1 } };
}

export function afterWait(state: RetryState, seconds: number): RetryState {
  return { ...state, elapsed: withWait(state.elapsed, seconds) };
}

export function attemptCounts(state: RetryState, policy: RetryPolicy): AttemptCounts {
  return {
    attempts: state.attempts,
    rateLimitHits: state.rateLimitHits,
    connectionErrors: state.connectionErrors,
    elapsedSeconds: roundToMilliseconds(elapsedSeconds(state.elapsed, policy)),
  };
}

export const noCounts: AttemptCounts = { attempts: 0, rateLimitHits: 0, connectionErrors: 0, elapsedSeconds: 0 };

/** Each step has its own budget; the result of the run reports the sum. */
export function sumCounts(a: AttemptCounts, b: AttemptCounts): AttemptCounts {
  return {
    attempts: a.attempts + b.attempts,
    rateLimitHits: a.rateLimitHits + b.rateLimitHits,
    connectionErrors: a.connectionErrors + b.connectionErrors,
    elapsedSeconds: roundToMilliseconds(a.elapsedSeconds + b.elapsedSeconds),
  };
}
