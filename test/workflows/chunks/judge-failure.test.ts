import { expect, test } from 'vitest';
import type { ProviderFailure } from '../../../contract/provider-call.ts';
import { judgeFailure } from '../../../workflows/chunks/judge-failure.ts';

const byProvider = { kind: 'failed', fault: 'provider' };

test.each<[ProviderFailure, string, object]>([
  [{ kind: 'answered', status: 429, retryAfterSeconds: 3 }, 'x', { kind: 'rate_limited', retryAfterSeconds: 3 }],
  [{ kind: 'answered', status: 503 }, 'Too many requests', { kind: 'rate_limited' }],
  [{ kind: 'answered', status: 400, errorType: 'RateLimitError' }, 'x', { kind: 'rate_limited' }],
  [{ kind: 'answered', status: 503 }, 'x', { ...byProvider, error: 'http_503', retryable: true }],
  [{ kind: 'answered', status: 400 }, 'x', { kind: 'failed', fault: 'request', error: 'http_400', retryable: false }],
  [{ kind: 'answered', status: 413 }, 'x', { kind: 'failed', fault: 'request', error: 'http_413', retryable: false }],
  [{ kind: 'answered', status: 408 }, 'x', { ...byProvider, error: 'http_408', retryable: false }],
  [{ kind: 'answered', status: 401 }, 'x', { kind: 'unauthorized', called: true }],
  [{ kind: 'answered', status: 403 }, 'x', { kind: 'unauthorized', called: true, forbidden: true }],
  [{ kind: 'answered', status: 403 }, 'Too many requests', { kind: 'rate_limited' }],
  [{ kind: 'answered', status: 302 }, 'x', { ...byProvider, error: 'http_302', retryable: false }],
  [{ kind: 'share_used_up', waitMs: 7 }, 'x', { kind: 'held_back', waitMs: 7 }],
  [{ kind: 'unreachable' }, 'x', { ...byProvider, error: 'unreachable', retryable: true }],
  [{ kind: 'untrusted' }, 'x', { kind: 'unauthorized', called: false }],
  [{ kind: 'timeout' }, 'x', { ...byProvider, error: 'timeout', retryable: false }],
  [{ kind: 'unreadable' }, 'x', { ...byProvider, error: 'unreadable_answer', retryable: false }],
  [{ kind: 'storage', passing: true }, 'x', { kind: 'failed', fault: 'worker', error: 'storage', retryable: true }],
  [{ kind: 'storage', passing: true, called: false }, 'x', { kind: 'unused', called: false }],
  [{ kind: 'storage', passing: false }, 'x', { kind: 'failed', fault: 'worker', error: 'storage', retryable: false }],
  [{ kind: 'permit_expired', called: false }, 'x', { kind: 'unused', called: false }],
  [{ kind: 'permit_expired', called: true }, 'x', { kind: 'unused', called: true }],
])('a call that failed with %j and the message %j has the outcome %j', (failure, message, expected) => {
  expect(judgeFailure(failure, message)).toMatchObject({ ...expected, message });
});
