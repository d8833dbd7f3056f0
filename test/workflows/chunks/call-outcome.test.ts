import { expect, test } from 'vitest';
import type { ProviderFailure } from '../../../contract/provider-call.ts';
import { callOutcome } from '../../../workflows/chunks/call-outcome.ts';

test.each<[ProviderFailure, string, unknown]>([
  [{ kind: 'answered', status: 429, retryAfterSeconds: 3 }, 'x', { kind: 'rate_limited', retryAfterSeconds: 3 }],
  [{ kind: 'answered', status: 503 }, 'Too many requests', { kind: 'rate_limited' }],
  [{ kind: 'answered', status: 400, errorType: 'RateLimitError' }, 'x', { kind: 'rate_limited' }],
  [{ kind: 'answered', status: 503 }, 'x', { kind: 'failed', error: 'http_503', again: true }],
  [{ kind: 'answered', status: 400 }, 'x', { kind: 'failed', error: 'http_400', again: false }],
  [{ kind: 'answered', status: 302 }, 'x', { kind: 'failed', error: 'http_302', again: false }],
  [{ kind: 'unreachable' }, 'x', { kind: 'failed', error: 'unreachable', again: true }],
  [{ kind: 'timeout' }, 'x', { kind: 'failed', error: 'timeout', again: false }],
  [{ kind: 'unreadable' }, 'x', { kind: 'failed', error: 'unreadable_answer', again: false }],
  [{ kind: 'storage', passing: true }, 'x', { kind: 'not_stored', again: true }],
  [{ kind: 'permit_expired' }, 'x', { kind: 'unused' }],
])('%j means %s', (failure, message, expected) => {
  expect(callOutcome(failure, message)).toMatchObject(expected as object);
});
