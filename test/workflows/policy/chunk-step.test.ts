import { expect, test } from 'vitest';
import type { ProviderBackoff } from '../../../contract/provider.ts';
import type { ProviderFailure } from '../../../contract/provider-call.ts';
import { callOutcome } from '../../../workflows/policy/call-outcome.ts';
import { type AttemptEnd, chunkStep } from '../../../workflows/policy/chunk-step.ts';
import { runDelaySeconds, type RunQueue } from '../../../workflows/policy/run-delay.ts';

const backoff: ProviderBackoff = { strategy: 'exponential', min: 2, max: 30, multiplier: 2, attempts: 4 };
const limited: AttemptEnd = { kind: 'rate_limited', message: 'Slow down' };
const down: AttemptEnd = { kind: 'failed', error: 'unreachable', message: 'Gone', again: true };

test.each<[string, AttemptEnd, number, unknown]>([
  ['a success', { kind: 'ok' }, 4, { kind: 'completed' }],
  ['the first 429', limited, 1, { kind: 'backoff', seconds: 2, error: 'rate_limited', message: 'Slow down' }],
  ['the third 429', limited, 3, { kind: 'backoff', seconds: 8, error: 'rate_limited', message: 'Slow down' }],
  ['the fourth 429', limited, 4, { kind: 'failed', error: 'rate_limited', message: 'Slow down' }],
  ['a 429 that asks for more', { ...limited, retryAfterSeconds: 50 }, 1, { kind: 'backoff', seconds: 50 }],
  ['a 429 that asks for less', { ...limited, retryAfterSeconds: 1 }, 2, { kind: 'backoff', seconds: 4 }],
  ['a lost connection', down, 2, { kind: 'backoff', seconds: 4, error: 'unreachable', message: 'Gone' }],
  ['the fourth lost connection', down, 4, { kind: 'failed', error: 'unreachable', message: 'Gone' }],
  [
    'a timeout',
    { kind: 'failed', error: 'timeout', message: 'Late', again: false },
    1,
    { kind: 'failed', error: 'timeout', message: 'Late' },
  ],
])('after %s', (_, end, attempt, expected) => {
  expect(chunkStep(end, attempt, backoff, () => 0.5)).toMatchObject(expected as object);
});

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

const limits = {
  ...{ maxConcurrent: 5, requestsPerMinute: 60, requestsPerHour: 3600, burstLimit: 10 },
  ...{ permitSeconds: 120, breakerFailures: 5, breakerSeconds: 60 },
};
const idle: RunQueue = {
  ...{ nowMs: 1_000_000, limits, callMs: 4_000, notAsked: 0, inCall: 0 },
  ...{ lastGrantAtMs: undefined, backoffUntilMs: undefined, throttledUntilMs: undefined },
};

test.each<[string, Partial<RunQueue>, number]>([
  ['nothing is left', {}, 0],
  ['calls are under way', { inCall: 3 }, 4],
  ['ten are to be asked for, one a second', { notAsked: 10, inCall: 5 }, 14],
  ['long calls are the limit', { notAsked: 10, callMs: 30_000 }, 90],
  ['the hour is the limit', { notAsked: 10, limits: { ...limits, requestsPerHour: 60 } }, 604],
  ['the gate says when', { inCall: 1, lastGrantAtMs: 1_020_000 }, 24],
  ['one backs off', { backoffUntilMs: 1_008_000 }, 12],
  ['the key is throttled', { notAsked: 1, throttledUntilMs: 1_900_000 }, 905],
])('the delay where %s', (_, queue, seconds) => {
  expect(runDelaySeconds({ ...idle, ...queue })).toBe(seconds);
});
