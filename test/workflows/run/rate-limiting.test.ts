import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideRetry, type RetryableOutcome } from '../../../workflows/run/retry-decision.ts';
import { defaultRetryPolicy as policy } from '../../../workflows/run/retry-policy.ts';

const busy = (retryAfterSeconds?: number): RetryableOutcome => ({
  kind: 'rate_limited',
  message: 'busy',
  retryAfterSeconds,
});
const down = (retryAfterSeconds?: number): RetryableOutcome => ({
  kind: 'connection_error',
  message: 'Container disconnected',
  retryAfterSeconds,
});

function decide(outcome: RetryableOutcome, connectionErrors = 0, elapsedSeconds = 0) {
  return decideRetry(outcome, { attempts: 9, rateLimitHits: 9, connectionErrors }, elapsedSeconds, policy);
}

function waitSeconds(outcome: RetryableOutcome, connectionErrors = 0, elapsedSeconds = 0): number | 'fail' {
  const next = decide(outcome, connectionErrors, elapsedSeconds);
  return next.kind === 'wait' ? next.seconds : 'fail';
}

describe('retry timing', () => {
  test.each([
    [1, 10],
    [2, 20],
    [3, 40],
    [4, 80],
    [5, 160],
    [6, 300],
    [7, 300],
    [2000, 300],
  ])('connection error number %i waits %i s', (connectionErrors, seconds) => {
    expect(waitSeconds(down(), connectionErrors)).toBe(seconds);
  });

  test('a container that is always busy for 10 s sees 358 attempts, the last at 3,570 s', () => {
    let [attempts, elapsedSeconds] = [1, 0];
    while (waitSeconds(busy(10), 0, elapsedSeconds) === 10)
      [attempts, elapsedSeconds] = [attempts + 1, elapsedSeconds + 10];
    expect([attempts, elapsedSeconds]).toEqual([358, 3570]);
  });

  test.each([
    [7, 7],
    [7.5, 7.5],
    [61, 61],
    [1200, 1200],
    [0.2, 1],
    [undefined, 10],
    [Number.NaN, 10],
    [-3, 10],
    [0, 10],
    [Infinity, 10],
  ])('a 429 with retryAfter %s waits %s s, whatever the number of connection errors', (retryAfterSeconds, seconds) => {
    for (const connectionErrors of [0, 3, 9])
      expect(waitSeconds(busy(retryAfterSeconds), connectionErrors)).toBe(seconds);
  });

  test.each([
    [5, 10],
    [45, 45],
    [400, 400],
    [Number.NaN, 10],
  ])(
    'a connection error with Retry-After %s waits %s s, the longer of it and the backoff',
    (retryAfterSeconds, seconds) => {
      expect(waitSeconds(down(retryAfterSeconds), 1)).toBe(seconds);
    },
  );

  test('every wait is a number of seconds that fits the budget', () => {
    const seconds = fc.option(fc.double(), { nil: undefined });
    fc.assert(
      fc.property(fc.boolean(), seconds, fc.nat(5000), fc.double(), (isBusy, retryAfter, errors, elapsed) => {
        const next = decide(isBusy ? busy(retryAfter) : down(retryAfter), errors, elapsed);
        if (next.kind === 'fail') return true;
        return next.seconds >= 1 && elapsed + next.seconds + policy.retryBuffer <= policy.maxRetryTime;
      }),
    );
  });
});

describe('maximum time', () => {
  test.each([
    // elapsed + delay + 30 s of buffer <= 3600
    [busy(10), 3560, 'wait'],
    [busy(10), 3560.001, 'fail'],
    [busy(10), 3561, 'fail'],
    [down(), 3270, 'wait'],
    [down(), 3271, 'fail'],
    [busy(3570), 0, 'wait'],
    [busy(3571), 0, 'fail'],
    [busy(604_800), 0, 'fail'],
    [busy(10), Number.NaN, 'fail'],
  ])('%o after %s s leads to: %s', (outcome, elapsedSeconds, kind) => {
    expect(decide(outcome, 9, elapsedSeconds).kind).toBe(kind);
  });

  test('a failure reports the delay that exceeds the budget', () => {
    expect(decide(down(), 6, 3310)).toEqual({ kind: 'fail', reason: 'budget_exhausted', delaySeconds: 300 });
  });
});
