import type { PermitReport } from '../../../contract/limiter.ts';

/** Outcome of one call to a provider, for the chunk and for the limiter. */
export type CallOutcome =
  | { kind: 'ok' }
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | {
      kind: 'failed';
      /** Only a provider's fault counts towards the breaker of its key. `request`: the provider works, but refuses this call. */
      fault: 'provider' | 'request' | 'worker';
      /** True if the provider may have received the request despite the worker's fault. */
      called?: boolean;
      /** The chunk's error if this was its last attempt. */
      error: string;
      message: string;
      retryable: boolean;
      retryAfterSeconds?: number | undefined;
    }
  /**
   * The provider rejects the key or is not trusted; no retry helps. `called` is false if that was known before the call.
   * `forbidden`: a 403, which may be about the content of the call, so it suspends the key for this run alone.
   */
  | { kind: 'unauthorized'; message: string; called: boolean; forbidden?: true }
  /** No call was made, or (`called`) the permit ended during the call. The permit is requested again; no attempt counts. */
  | { kind: 'unused'; message: string; called: boolean }
  /** No limiter responds and the worker's share of the limits is used up. The permit is requested again; no attempt counts. */
  | { kind: 'held_back'; message: string; waitMs: number }
  | LostCall;

/** The worker died during the call. The permit is requested again; no attempt counts. */
export interface LostCall {
  kind: 'lost';
  message: string;
}

/** An outcome that ends the attempt; only `unused` does not count as one. */
export type AttemptOutcome = Exclude<CallOutcome, { kind: 'held_back' | 'lost' }>;

/** Whether the provider may have received the request of a call. */
export function mayHaveArrived(outcome: CallOutcome): boolean {
  switch (outcome.kind) {
    case 'ok':
    case 'rate_limited':
    case 'lost':
      return true;
    case 'failed':
      return outcome.fault !== 'worker' || outcome.called === true;
    case 'unauthorized':
    case 'unused':
      return outcome.called;
    case 'held_back':
      return false;
  }
}

export function toPermitReport(permitId: string, outcome: CallOutcome): PermitReport {
  return { permitId, outcome: toReportedOutcome(outcome) };
}

function toReportedOutcome(outcome: CallOutcome): PermitReport['outcome'] {
  switch (outcome.kind) {
    case 'ok':
    case 'rate_limited':
      return outcome;
    case 'failed':
      if (outcome.fault === 'request') return { kind: 'ok' };
      return outcome.fault === 'provider' ? { kind: 'failed', message: outcome.message } : endOf(outcome.called);
    case 'unauthorized':
      return outcome.forbidden === true ? { kind: 'ok' } : { kind: 'unauthorized', message: outcome.message };
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
