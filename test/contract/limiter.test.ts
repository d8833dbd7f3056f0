import { expect, test } from 'vitest';
import { isLimitsOverride, isThrottleOverride } from '../../contract/limiter.ts';

test.each<[unknown, boolean]>([
  [{ seconds: 60, reason: 'maintenance' }, true],
  [{ seconds: 0.5, reason: 'x' }, true],
  [{ seconds: 8 * 86_400, reason: 'x' }, true],
  [{ seconds: 8 * 86_400 + 1, reason: 'x' }, false],
  [{ seconds: 0, reason: 'x' }, false],
  [{ seconds: -1, reason: 'x' }, false],
  [{ seconds: '60', reason: 'x' }, false],
  [{ seconds: 60 }, false],
  [{ seconds: 60, reason: '' }, false],
  [{ reason: 'x' }, false],
  [undefined, false],
  [null, false],
  [60, false],
])('the signal throttle %j makes sense: %s', (signal, expected) => {
  expect(isThrottleOverride(signal)).toBe(expected);
});

test.each<[unknown, boolean]>([
  [{}, true],
  [{ requestsPerMinute: 30 }, true],
  [{ requestsPerMinute: null, maxConcurrent: 1, permitSeconds: 1.5 }, true],
  [{ requestsPerMinute: 0 }, false],
  [{ requestsPerMinute: 1.5 }, false],
  [{ maxConcurrent: -1 }, false],
  [{ burstLimit: '3' }, false],
  [{ breakerSeconds: 1e300 }, false],
  [{ requests_per_minute: 30 }, false],
  [{ toString: 1 }, false],
  [[30], false],
  [null, false],
])('the signal set_limits %j makes sense: %s', (signal, expected) => {
  expect(isLimitsOverride(signal)).toBe(expected);
});
