import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { AttemptState, FailedAttempt } from '../../contract/activity.ts';
import type { RunFailure, Unreached } from '../../contract/workflow/failure.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { type Elapsed, elapsedSeconds, noTime, withAttempt, withWait } from './elapsed.ts';
import type { Counts, RetryableOutcome } from './retry-decision.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** What the attempts of a step so far have left; the whole of it goes along when the run continues as new. */
export interface RetryState extends Counts {
  elapsed: Elapsed;
  attemptState: AttemptState;
  /** Missing where it was always the container, and in the state of a run before an update of the workflows. */
  unreached?: RunFailure['unreached'];
}

/** Who was not reached, by the code of the failure; else it was the container. */
const unreachedByCode: Partial<Record<string, Unreached>> = {
  source_unavailable: 'source',
  upload_failed: 'store',
  upload_urls_missing: 'store',
  credentials_unavailable: 'store',
};

export function newRetryState(attemptState: AttemptState = {}): RetryState {
  return { attempts: 0, rateLimitHits: 0, connectionErrors: 0, elapsed: noTime, attemptState };
}

/** With one more attempt, and the time that it ran. */
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

/** Undefined where it was the container. */
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

/** Each step has its own budget; a run's result tells of all. */
export function sumCounts(a: AttemptCounts, b: AttemptCounts): AttemptCounts {
  return {
    attempts: a.attempts + b.attempts,
    rateLimitHits: a.rateLimitHits + b.rateLimitHits,
    connectionErrors: a.connectionErrors + b.connectionErrors,
    elapsedSeconds: roundToMilliseconds(a.elapsedSeconds + b.elapsedSeconds),
  };
}
