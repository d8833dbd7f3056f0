import { expect, test } from 'vitest';
import { chooseCrf, type CrfProbe, mostProbes, nextCrf } from '../../../../engine/pictures/quality/search-crf.ts';

const range = { best: 1, worst: 51 };

function search(vmafAt: (crf: number) => number, target: { vmaf: number; percentile1?: number }, start = 22) {
  const probes: CrfProbe[] = [];
  for (;;) {
    const crf = nextCrf(probes, target, range, start);
    if (crf === undefined) return { crf: chooseCrf(probes, target)?.crf, probes: probes.length };
    const vmaf = Math.max(0, Math.min(100, vmafAt(crf)));
    probes.push({ crf, vmaf, percentile1: vmaf - 8 });
  }
}

/** Loses hardly anything at first and more with each step, as x264 does. */
const asEncoded = (crf: number): number => 99.5 - 0.012 * (crf - 8) ** 2;

test.each<[string, { vmaf: number; percentile1?: number }, number]>([
  ['a usual target', { vmaf: 95 }, 27],
  ['a high one', { vmaf: 98 }, 19],
  ['a low one', { vmaf: 80 }, 48],
  ['the worst pictures where they say more', { vmaf: 80, percentile1: 87 }, 27],
])('%s is reached by the largest possible rate factor, within the probes', (_, target, crf) => {
  const found = search(asEncoded, target);
  expect(found.crf).toBe(crf);
  expect(found.probes).toBeLessThanOrEqual(mostProbes);
});

test('an unreachable target yields the best pictures tried, and a trivial one the smallest file', () => {
  expect(search(() => 60, { vmaf: 95 }).crf).toBe(1);
  expect(search(() => 99, { vmaf: 95 }).crf).toBe(51);
  expect(search(asEncoded, { vmaf: 95 }, 51).crf).toBe(27);
});
