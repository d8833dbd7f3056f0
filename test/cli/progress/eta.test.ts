import { expect, test } from 'vitest';
import { Eta } from '../../../cli/progress/eta.ts';

test('estimates the time left from the last seconds, and only with enough samples', () => {
  const eta = new Eta();
  // The download: ten percent in a second.
  expect(eta.estimate(0, 0)).toBeUndefined();
  expect(eta.estimate(1_000, 10)).toBeUndefined();
  let left: number | undefined;
  // The encode: one percent a second.
  for (let second = 2; second <= 40; second += 1) left = eta.estimate(second * 1_000, 9 + second);
  expect(left).toBeCloseTo(51, 0);
});
