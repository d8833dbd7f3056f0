import { expect, test } from 'vitest';
import { type Elapsed, elapsedSeconds, noTime, withAttempt, withWait } from '../../../workflows/run/elapsed.ts';
import { defaultRetryPolicy, retryPolicy } from '../../../workflows/run/retry-policy.ts';

function after(attempts: number, ranMs: number, waitSeconds: number): Elapsed {
  let elapsed = noTime;
  for (let attempt = 0; attempt < attempts; attempt++) elapsed = withWait(withAttempt(elapsed, ranMs), waitSeconds);
  return elapsed;
}

test.each([
  ['immediate answers cost nothing', after(357, 8, 10), 3570],
  ['attempts count in whole seconds', after(2, 2_900, 10), 24],
  ['dropped fractions beyond the buffer count', after(3000, 50, 1), 3120],
  ['negative and NaN times count as zero', withAttempt(withAttempt(noTime, Number.NaN), -5), 0],
])('sums elapsed time: %s', (_, elapsed, expected) => {
  expect(elapsedSeconds(elapsed, defaultRetryPolicy)).toBe(expected);
});

test('overrides of the retry policy replace the defaults one by one', () => {
  expect(retryPolicy(undefined)).toEqual({ maxRetryTime: 3600, baseDelay: 10, maxDelay: 300, retryBuffer: 30 });
  expect(retryPolicy({ maxRetryTime: 60, retryBuffer: 0 })).toEqual({
    maxRetryTime: 60,
    baseDelay: 10,
    maxDelay: 300,
    retryBuffer: 0,
  });
});
