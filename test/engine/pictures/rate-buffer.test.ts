import { expect, test } from 'vitest';
import { lowestFullness } from '../../../engine/pictures/rate-buffer.ts';

// 80 kbit/s are 10,000 bytes per second, and the buffer holds 20,000.
const each = (sizes: readonly number[]) =>
  lowestFullness(
    sizes,
    sizes.map((_, index) => index),
    80,
  );

test.each<[string, number[], number]>([
  ['a film at its rate keeps the buffer as full as it was', [10_000, 10_000, 10_000], 0.4],
  ['a still film fills the buffer, and no more than that', [0, 0, 0, 0, 20_000], 0],
  ['a picture as large as the buffer at the beginning is too much', [20_000], -0.1],
  ['a film above its rate empties it', [10_000, 15_000, 15_000], -0.1],
])('%s', (_what, sizes, lowest) => {
  expect(each(sizes)).toBeCloseTo(lowest, 9);
});
