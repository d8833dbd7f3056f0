import { expect, test } from 'vitest';
import { randomNumbers } from '../support/random.ts';
import { type Course, isGrowing, trendOf } from './verdict.ts';

const random = randomNumbers(1);

function courseOf(value: (share: number) => number): Course {
  return Array.from({ length: 200 }, (_, index) => [index * 5, value(index / 199) + 4 * (random() - 0.5)] as const);
}

test.each<[string, (share: number) => number, boolean]>([
  ['that stays', () => 100, false],
  ['that warms up and stays', (share) => Math.min(100, 30 + 300 * share), false],
  ['that goes up and down', (share) => 100 + 20 * Math.sin(40 * share), false],
  ['that is higher at times, and later more often', (share) => 35 + (random() < share / 2 ? 25 * random() : 0), false],
  ['that falls', (share) => 120 - 40 * share, false],
  ['that rises by less than a tenth', (share) => 100 + 8 * share, false],
  ['that rises all the time', (share) => 100 + 40 * share, true],
  ['that rises in steps', (share) => 100 + 10 * Math.floor(8 * share), true],
])('a course %s', (_, value, grows) => {
  expect(isGrowing(courseOf(value), 8)).toBe(grows);
});

test('the rise is measured over the second half', () => {
  expect(trendOf(courseOf((share) => 100 * share)).rise).toBeCloseTo(50, -1);
  expect(trendOf([])).toMatchObject({ rise: 0 });
});
