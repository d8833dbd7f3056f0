import { describe, expect, test } from 'vitest';
import { decideRetry, type RetryableOutcome } from '../../../workflows/run/retry-decision.ts';
import { defaultRetryPolicy } from '../../../workflows/run/retry-policy.ts';

describe('retry timing', () => {
  const busy = (retryAfterSeconds?: number): RetryableOutcome => ({
    kind: 'rate_limited',
    message: 'busy',
    retryAfterSeconds,
  });
  const down: RetryableOutcome = { kind: 'connection_error', message: 'Container disconnected' };
  const counts = { attempts: 1, rateLimitHits: 0, connectionErrors: 0 };

  test.each([
    [1, 10],
    [2, 20],
    [3, 40],
    [4, 80],
    [5, 160],
    [6, 300],
    [7, 300],
    [100, 300],
  ])('connection error number %i waits %i s', (connectionErrors, seconds) => {
    expect(decideRetry(down, { ...counts, connectionErrors }, 0, defaultRetryPolicy)).toMatchObject({
      kind: 'wait',
      seconds,
    });
  });

  test.each([
    [7, 7],
    [10, 10],
    [61, 61],
    [299.5, 299.5],
    [1200, 1200],
    [undefined, 10],
    [Number.NaN, 10],
    [-3, 10],
    [0, 10],
    [Number.POSITIVE_INFINITY, 10],
  ])('retryAfter %s waits %s s, whatever the count', (retryAfterSeconds, seconds) => {
    for (const connectionErrors of [0, 3, 9]) {
      const step = decideRetry(
        busy(retryAfterSeconds),
        { ...counts, rateLimitHits: 9, connectionErrors },
        0,
        defaultRetryPolicy,
      );
      expect(step).toMatchObject({ kind: 'wait', seconds });
    }
  });
});

describe('maximum time', () => {
  const busy: RetryableOutcome = { kind: 'rate_limited', message: 'busy', retryAfterSeconds: 10 };
  const down: RetryableOutcome = { kind: 'connection_error', message: 'Container disconnected' };
  const counts = { attempts: 9, rateLimitHits: 0, connectionErrors: 9 };

  test.each([
    // elapsed + delay + 30 s of buffer <= 3600
    [busy, 3560, 'wait'],
    [busy, 3560.001, 'fail'],
    [busy, 3561, 'fail'],
    [down, 3270, 'wait'],
    [down, 3271, 'fail'],
    [{ ...busy, retryAfterSeconds: 3570 }, 0, 'wait'],
    [{ ...busy, retryAfterSeconds: 3571 }, 0, 'fail'],
    [{ ...busy, retryAfterSeconds: 604_800 }, 0, 'fail'],
    [busy, Number.NaN, 'fail'],
  ])('%o after %s s leads to: %s', (outcome, elapsedSeconds, kind) => {
    expect(decideRetry(outcome, counts, elapsedSeconds, defaultRetryPolicy).kind).toBe(kind);
  });

  test('a container that is always busy is tried 358 times in an hour, and one that is always down 16 times', () => {
    const startsOf = (outcome: RetryableOutcome): number[] => {
      const starts = [0];
      for (let tried = 1, elapsed = 0; ; tried += 1) {
        const step = decideRetry(
          outcome,
          { attempts: tried, rateLimitHits: tried, connectionErrors: tried },
          elapsed,
          defaultRetryPolicy,
        );
        if (step.kind === 'fail') return starts;
        elapsed += step.seconds;
        starts.push(elapsed);
      }
    };
    const busyStarts = startsOf(busy);
    expect(busyStarts).toHaveLength(358);
    expect(busyStarts.at(-1)).toBe(3570);
    const downStarts = startsOf(down);
    expect(downStarts).toHaveLength(16);
    expect(downStarts.slice(0, 8)).toEqual([0, 10, 30, 70, 150, 310, 610, 910]);
    expect(downStarts.at(-1)).toBe(3310);
  });
});
