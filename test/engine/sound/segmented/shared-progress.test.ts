import { expect, test } from 'vitest';
import { createSharedProgress } from '../../../../engine/sound/segmented/shared-progress.ts';

test('the combined progress of several processes rises to 1 and never falls', () => {
  const seen: number[] = [];
  const progress = createSharedProgress(100, (fraction) => seen.push(fraction));
  const [a, b] = [progress.share(30), progress.share(70)];
  for (const report of [() => a(10), () => b(20), () => a(5), () => a(90), () => b(70)]) report();
  expect(seen).toEqual([0.1, 0.3, 0.3, 0.5, 1]);
});
