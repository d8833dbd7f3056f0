import type { PermitReport } from '../../../contract/limiter.ts';

/** How one call to a provider ended: the one account of it, from the provider's activity to the chunk and to the limiter. */
export type CallOutcome =
  | { kind: 'ok' }
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | {
      kind: 'failed';
      /** Only a fault of the provider counts for the breaker of its key. */
      fault: 'provider' | 'worker';
      /** Of a fault of the worker: the provider may have got the request all the same. */
      called?: boolean;
      /** The chunk's error, should this be its last attempt. */
      error: string;
      message: string;
      retryable: boolean;
      retryAfterSeconds?: number | undefined;
    }
  /** The provider refuses the key, or is not to be trusted; no other try helps. `called`: false where that was known, and no call was made. */
  | { kind: 'unauthorized'; message: string; called: boolean }
  /** No call was made, or (`called`) it was broken off because its permit ended. The permit is requested again; no attempt is counted. */
  | { kind: 'unused'; message: string; called: boolean }
  /** No limiter answers, and the worker's share of the limits is used up. The permit is requested again; no attempt is counted. */
  | { kind: 'held_back'; message: string; waitMs: number }
  /** The worker died during the call. The permit is requested again; no attempt is counted. */
  | { kind: 'lost'; message: string };

/** An outcome with which the chunk itself goes on; only `unused` counts as no attempt. */
export type AttemptOutcome = Exclude<CallOutcome, { kind: 'held_back' | 'lost' }>;

/** The permit is given back with it. */
export function toPermitReport(permitId: string, outcome: CallOutcome): PermitReport {
  return { permitId, outcome: toReportedOutcome(outcome) };
}

function toReportedOutcome(outcome: CallOutcome): PermitReport['outcome'] {
  switch (outcome.kind) {
    case 'ok':
    case 'rate_limited':
      return outcome;
    case 'failed':
      return outcome.fault === 'provider' ? { kind: 'failed', message: outcome.message } : endOf(outcome.called);
    case 'unauthorized':
      return { kind: 'unauthorized', message: outcome.message };
    case 'held_back':
      return { kind: 'unused' };
    case 'unused':
      return endOf(outcome.called);
    case 'lost':
      return { kind: 'broken_off' };
  }
}

function endOf(called = false): PermitReport['outcome'] {
  return { kind: called ? 'broken_off' : 'unused' };
}
