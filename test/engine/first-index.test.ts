import { expect, test } from 'vitest';
import { firstIndex } from '../../engine/first-index.ts';

test.each([
  [[], 5, 0],
  [[7], 5, 0],
  [[3], 5, 1],
  [[1, 5, 5, 9], 5, 1],
  [[1, 2, 3, 4], 5, 4],
  [[6, 7, 8], 5, 0],
  [[1, 2, 4, 8, 16], 5, 3],
])('the first of %j that is not below %d has the index %d', (ascending, least, index) => {
  expect(firstIndex(ascending.length, (place) => (ascending[place] ?? NaN) >= least)).toBe(index);
});
