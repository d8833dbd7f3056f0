import { expect, test } from 'vitest';
import type { Throttle } from '../../../../contract/limiter.ts';
import { openThrottles, ownThrottle, throttleAfterUpdate } from '../../../../workflows/limiter/client/own-throttle.ts';

const rejected: Throttle = { untilMs: 300_000, reason: 'unauthorized: No', unauthorized: true };
const forbidden: Throttle = { ...rejected, own: true };
const seconds = { day: 3, rps: 2, other: 1 };

test('a run suspends a key that was rejected or, without its limiter, rate limited', () => {
  const refusal = { kind: 'unauthorized', message: 'No', called: true } as const;
  expect(ownThrottle(refusal, undefined, 0)).toEqual(rejected);
  expect(ownThrottle({ ...refusal, forbidden: true }, undefined, 0)).toEqual(forbidden);
  const limited = { kind: 'rate_limited', message: 'Slow down' } as const;
  expect(ownThrottle(limited, seconds, 0)).toEqual({ untilMs: 1_000, reason: 'Slow down' });
  expect(ownThrottle(limited, undefined, 0)).toBeUndefined();
});

test('an update of the limiter ends the suspension of a key by its run, except after a 403', () => {
  const told: Throttle = { untilMs: 5, reason: 'maintenance' };
  expect(throttleAfterUpdate(rejected, undefined)).toBeUndefined();
  expect(throttleAfterUpdate(forbidden, undefined)).toEqual(forbidden);
  expect(throttleAfterUpdate(forbidden, told)).toEqual(told);
});

test('the throttle of a key that ends last applies', () => {
  const told: Throttle = { untilMs: 60_000, reason: 'Slow down' };
  expect(openThrottles([told, forbidden], 0)).toEqual([forbidden, told]);
  expect(openThrottles([told, forbidden], 60_000)).toEqual([forbidden]);
  expect(openThrottles([told, undefined], 60_000)).toEqual([]);
});
