import { expect, test } from 'vitest';
import { planParts, usualPartSizes } from '../../contract/part-plan.ts';
import { maxParts, minPartBytes } from '../../contract/http/upload-urls.ts';

const mebibyte = 1024 ** 2;

test.each([
  [0, undefined],
  [100 * mebibyte, undefined],
  [100 * mebibyte + 1, { partSize: 32 * mebibyte, parts: 4 }],
  [6 * 1024 * mebibyte, { partSize: 32 * mebibyte, parts: 192 }],
  // What S3 takes at most: 5 TiB.
  [5 * 1024 ** 2 * mebibyte, { partSize: 525 * mebibyte, parts: 9987 }],
])('plans the parts of a file of %d bytes', (size, plan) => {
  expect(planParts(size, usualPartSizes)).toEqual(plan);
});

test('no plan breaks a limit of S3', () => {
  for (let size = 1; size < 5 * 1024 ** 4; size = size * 3 + 1) {
    const plan = planParts(size, usualPartSizes);
    if (plan === undefined) continue;
    expect(plan.parts).toBeLessThanOrEqual(maxParts);
    expect(plan.partSize).toBeGreaterThanOrEqual(minPartBytes);
    expect((plan.parts - 1) * plan.partSize).toBeLessThan(size);
    expect(plan.parts * plan.partSize).toBeGreaterThanOrEqual(size);
  }
});
