import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BucketLimits,
  hasToken,
  refill,
  type TokenBucket,
  tokenAtMs,
  takeToken,
} from '../../../contract/rate/token-bucket.ts';

/** As the defaults have it: a burst of 10, and 50 a minute. */
const limits: BucketLimits = { burstLimit: 10, refillPerSecond: 50 / 60 };
const bucket = (tokens: number, atMs = 0): TokenBucket => ({ tokens, atMs });

test.each<[string, TokenBucket | undefined, number, number]>([
  ['a new one is full', undefined, 5_000, 10],
  ['nothing in no time', bucket(4), 0, 4],
  ['one in 1.2 s', bucket(4), 1_200, 5],
  ['half of one in 0.6 s', bucket(0), 600, 0.5],
  ['never more than the burst', bucket(9), 3_600_000, 10],
  ['a limit that was lowered takes what is above it', bucket(40), 0, 10],
  ['a clock that goes back takes nothing', bucket(4, 9_000), 1_000, 4],
])('tokens come back with time: %s', (_, before, nowMs, tokens) => {
  expect(refill(before, limits, nowMs).tokens).toBeCloseTo(tokens, 9);
});

test.each<[string, TokenBucket, boolean, number]>([
  ['full', bucket(10, 7_000), true, 7_000],
  ['one left', bucket(1, 7_000), true, 7_000],
  ['none left', bucket(0, 7_000), false, 8_200],
  ['a quarter of one left', bucket(0.25, 7_000), false, 7_900],
  ['a whole one but for the rounding', bucket(0.1 + 0.2 + 0.3 + 0.4 - 1e-12, 7_000), true, 7_000],
])('a bucket computes when it holds a token: %s', (_, before, has, atMs) => {
  expect(hasToken(before)).toBe(has);
  expect(tokenAtMs(before, limits)).toBe(atMs);
});

test('a bucket lets a burst of ten through at once, and then one every 1.2 s', () => {
  const grants: number[] = [];
  let now: TokenBucket = refill(undefined, limits, 0);
  for (let grant = 0; grant < 13; grant += 1) {
    const atMs = tokenAtMs(now, limits);
    now = takeToken(refill(now, limits, atMs));
    grants.push(atMs);
  }
  expect(grants).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1_200, 2_400, 3_600]);
});

test('a bucket holds between 0 tokens and the burst, and gives out only tokens that it had or refilled', () => {
  const steps = fc.array(fc.tuple(fc.nat(5_000), fc.boolean()), { maxLength: 200, size: 'max' });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.double({ min: 0.01, max: 50, noNaN: true }),
      steps,
      (burstLimit, refillPerSecond, steps) => {
        const own = { burstLimit, refillPerSecond };
        let now = refill(undefined, own, 0);
        let given = 0;
        let nowMs = 0;
        for (const [pauseMs, waits] of steps) {
          nowMs += pauseMs;
          if (waits) nowMs = Math.max(nowMs, tokenAtMs(now, own));
          now = refill(now, own, nowMs);
          if (waits) expect(hasToken(now)).toBe(true);
          if (hasToken(now)) {
            now = takeToken(now);
            given += 1;
          }
          expect(now.tokens).toBeGreaterThanOrEqual(0);
          expect(now.tokens).toBeLessThanOrEqual(burstLimit);
        }
        expect(given).toBeLessThanOrEqual(burstLimit + (nowMs / 1000) * refillPerSecond + 1e-6);
      },
    ),
  );
});
