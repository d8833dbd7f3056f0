import { expect, test } from 'vitest';
import { integratedLoudness, loudnessRange } from '../../../../engine/sound/loudness/gating.ts';

/** Test signals of EBU Tech 3341 and 3342: consecutive numbers of blocks at these LUFS. */
const steps = (...parts: [count: number, loudness: number][]): number[] =>
  parts.flatMap(([count, loudness]) => Array.from({ length: count }, () => loudness));

test.each<[string, number[], number]>([
  ['a steady tone (Tech 3341, case 1)', steps([200, -23]), -23],
  ['what is 10 LU below the rest is gated (case 3)', steps([100, -36], [600, -23], [100, -36]), -23],
  ['what is below -70 LUFS is gated (case 4)', steps([100, -72], [100, -36], [600, -23], [100, -36], [100, -72]), -23],
  ['what is less than 10 LU below counts (case 5)', steps([200, -26], [201, -20], [200, -26]), -23.03],
])('the integrated loudness of %s', (_, momentary, expected) => {
  expect(integratedLoudness({ momentary })).toBeCloseTo(expected, 1);
});

test('silence and empty input have no loudness', () => {
  expect(integratedLoudness({ momentary: [] })).toBe(-Infinity);
  expect(integratedLoudness({ momentary: steps([50, -120.691]) })).toBe(-Infinity);
});

test.each<[string, number[], number]>([
  ['10 LU (Tech 3342, case 1)', steps([200, -20], [200, -30]), 10],
  ['5 LU (case 2)', steps([200, -20], [200, -15]), 5],
  ['20 LU (case 3)', steps([200, -40], [200, -20]), 20],
  ['15 LU, gated (case 4)', steps([200, -50], [200, -35], [200, -20], [200, -35], [200, -50]), 15],
  ['0 LU of nothing', [], 0],
])('the range of %s', (_, shortTerm, expected) => {
  expect(loudnessRange({ shortTerm })).toBeCloseTo(expected, 1);
});
