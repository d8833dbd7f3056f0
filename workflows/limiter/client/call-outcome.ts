import type { PermitReport } from '../../../contract/limiter.ts';

/** How one call to a provider ended: the one account of it, from the provider's activity to the chunk and to the limiter. */
export type CallOutcome =
  | { kind: 'ok' }
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | {
      kind: 'failed';
      /** Only a fault of the provider counts for the breaker of its key. */
      fault: 'provider' | 'worker';
      /** The chunk's error, should this be its last attempt. */
      error: string;
      message: string;
      retryable: boolean;
      retryAfterSeconds?: number | undefined;
    }
  /** The provider refuses the key; no other try with it helps. `called`: false where the key was known to be refused, and no call was made. */
  | { kind: 'unauthorized'; message: string; called: boolean }
  /** No call was made, or it was broken off because its permit ended. The permit is requested again; no attempt is counted. */
  | { kind: 'unused'; message: string }
  /** The worker died during the call. The permit is requested again; no attempt is counted. */
  | { kind: 'lost'; message: string };

/** An outcome that counts as an attempt. */
export type AttemptOutcome = Exclude<CallOutcome, { kind: 'unused' | 'lost' }>;

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
      return outcome.fault === 'provider' ? { kind: 'failed', message: outcome.message } : { kind: 'unused' };
    case 'unauthorized':
      return { kind: 'unauthorized', message: outcome.message };
    case 'unused':
    case 'lost':
      return { kind: 'unused' };
  }
}
