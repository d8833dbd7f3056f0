import type { ProviderFailure } from '../../contract/provider-call.ts';
import type { CallOutcome } from '../limiter/client/call-outcome.ts';
import { isRateLimitError } from '../limiter/policy/rate-limit-error.ts';

export function judgeFailure(failure: ProviderFailure, message: string): CallOutcome {
  const byProvider = { kind: 'failed', fault: 'provider', message } as const;
  switch (failure.kind) {
    case 'answered': {
      const { status, errorType: type, retryAfterSeconds } = failure;
      if (isRateLimitError({ status, type, message })) return { kind: 'rate_limited', message, retryAfterSeconds };
      if (status === 401) return { kind: 'unauthorized', message, called: true };
      if (status === 403) return { kind: 'unauthorized', message, called: true, forbidden: true };
      const fault = status >= 400 && status < 500 && status !== 408 ? 'request' : 'provider';
      return { ...byProvider, fault, error: `http_${status}`, retryable: status >= 500, retryAfterSeconds };
    }
    case 'share_used_up':
      return { kind: 'held_back', message, waitMs: failure.waitMs };
    case 'unreachable':
      return { ...byProvider, error: 'unreachable', retryable: true };
    case 'untrusted':
      // Like a rejected key, this needs an operator: no retry helps.
      return { kind: 'unauthorized', message, called: false };
    case 'timeout':
      return { ...byProvider, error: 'timeout', retryable: false };
    case 'unreadable':
      return { ...byProvider, error: 'unreadable_answer', retryable: false };
    case 'storage':
      // The store or its credentials are unavailable. No call was made, so no attempt counts and the chunk may wait an hour.
      if (failure.passing && failure.called === false) return { kind: 'unused', message, called: false };
      return {
        kind: 'failed',
        fault: 'worker',
        error: 'storage',
        message,
        retryable: failure.passing,
        called: failure.called ?? true,
      };
    case 'permit_expired':
      return { kind: 'unused', message, called: failure.called ?? true };
  }
}
