import type { ProviderFailure } from '../../contract/provider-call.ts';
import { isRateLimitError } from '../limiter/policy/rate-limit-error.ts';

/** What a call that brought nothing means for its chunk, and for the key's limiter. */
export type CallOutcome =
  | { kind: 'rate_limited'; retryAfterSeconds: number | undefined }
  /** Of the provider: counts for its breaker. `error` is the chunk's, should it be the last attempt. */
  | { kind: 'failed'; error: string; again: boolean; retryAfterSeconds?: number | undefined }
  /** Of our storage: the provider is not to blame. */
  | { kind: 'not_stored'; error: string; again: boolean }
  /** No call, or none that had an end. */
  | { kind: 'unused' };

export function callOutcome(failure: ProviderFailure, message: string): CallOutcome {
  switch (failure.kind) {
    case 'answered': {
      const { status, errorType: type, retryAfterSeconds } = failure;
      if (isRateLimitError({ status, type, message })) return { kind: 'rate_limited', retryAfterSeconds };
      return { kind: 'failed', error: `http_${status}`, again: status >= 500, retryAfterSeconds };
    }
    case 'unreachable':
      return { kind: 'failed', error: 'unreachable', again: true };
    case 'timeout':
      return { kind: 'failed', error: 'timeout', again: false };
    case 'unreadable':
      return { kind: 'failed', error: 'unreadable_answer', again: false };
    case 'storage':
      return { kind: 'not_stored', error: 'storage', again: failure.passing };
    case 'permit_expired':
      return { kind: 'unused' };
  }
}
