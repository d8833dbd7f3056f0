import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideRetry, type RetryableOutcome } from '../../../workflows/run/retry-decision.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../../../workflows/run/retry-policy.ts';

const policy = defaultRetryPolicy;

function busy(retryAfterSeconds?: number): RetryableOutcome {
  return { kind: 'rate_limited', message: 'busy', retryAfterSeconds };
}

function down(retryAfterSeconds?: number): RetryableOutcome {
  return { kind: 'connection_error', message: 'down', retryAfterSeconds };
}

function counts(connectionErrors: number) {
  return { attempts: 20, rateLimitHits: 20 - connectionErrors, connectionErrors };
}

function waitSeconds(outcome: RetryableOutcome, connectionErrors = 0, elapsedSeconds = 0, under: RetryPolicy = policy) {
  const next = decideRetry(outcome, counts(connectionErrors), elapsedSeconds, under);
  return next.kind === 'wait' ? next.seconds : 'fail';
}

test('connection errors back off by their own count', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 2000].map((connectionErrors) => waitSeconds(down(), connectionErrors));
  expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300]);
});

describe.each([
  ['7 s', 7, 7],
  ['61 s', 61, 61],
  ['longer than any backoff', 900, 900],
  ['a fraction of a second more', 7.5, 7.5],
  ['less than a second', 0.2, 1],
  ['nothing', undefined, 10],
  ['zero', 0, 10],
  ['a negative time', -5, 10],
  ['what is not a number', Number.NaN, 10],
  ['infinity', Infinity, 10],
  ['a week', 604_800, 'fail'],
])('where a busy container asks for %s', (_, retryAfterSeconds, expected) => {
  test(`the answer to ${retryAfterSeconds} is ${expected}`, () => {
    expect(waitSeconds(busy(retryAfterSeconds))).toBe(expected);
    // However many connection errors lie before it.
    expect(waitSeconds(busy(retryAfterSeconds), 5)).toBe(expected);
  });
});

test.each([
  ['shorter than the backoff', 5, 10],
  ['longer than the backoff', 45, 45],
  ['longer than the longest backoff', 400, 400],
  ['absurd', Number.NaN, 10],
])('a connection error with a Retry-After that is %s waits the longer of both', (_, retryAfterSeconds, expected) => {
  expect(waitSeconds(down(retryAfterSeconds), 1)).toBe(expected);
});

test.each([
  ['just short enough', 3560, 10],
  ['a second too late', 3561, 'fail'],
  ['after the last attempt of a busy container', 3570, 'fail'],
  ['not a number', Number.NaN, 'fail'],
])('the budget decides for a wait that is %s', (_, elapsedSeconds, expected) => {
  expect(waitSeconds(busy(10), 0, elapsedSeconds)).toBe(expected);
});

test('a failure tells the delay that did not fit', () => {
  expect(decideRetry(down(), counts(6), 3310, policy)).toEqual({
    kind: 'fail',
    reason: 'budget_exhausted',
    delaySeconds: 300,
  });
});

test('whatever comes in, a wait is a number of seconds that fits the budget', () => {
  const seconds = fc.option(fc.double(), { nil: undefined });
  fc.assert(
    fc.property(fc.boolean(), seconds, fc.nat(5000), fc.double(), (isBusy, retryAfter, errors, elapsed) => {
      const next = decideRetry(isBusy ? busy(retryAfter) : down(retryAfter), counts(errors), elapsed, policy);
      if (next.kind === 'fail') return true;
      return next.seconds >= 1 && elapsed + next.seconds + policy.retryBuffer <= policy.maxRetryTime;
    }),
  );
});
