import { expect, test } from 'vitest';
import { levelFilters } from '../../../../engine/sound/loudness/level-filter.ts';

const stereo = { sampleRate: 48_000, channelLayouts: 'stereo' };

test('samples stay unchanged without a gain or peaks to limit', () => {
  expect(levelFilters({ gain: 0, ceiling: undefined }, stereo)).toEqual([]);
});

test('a gain alone is one filter', () => {
  expect(levelFilters({ gain: -3.25, ceiling: undefined }, stereo)).toEqual(['volume=-3.250dB:precision=float']);
});

test.each([
  [8000, 128_000],
  [44_100, 176_400],
  [48_000, 192_000],
  [96_000, 192_000],
  [192_000, 192_000],
  [384_000, 384_000],
])('peaks at %i Hz are limited at %i Hz', (sampleRate, rate) => {
  const [up, , , down] = levelFilters({ gain: 6, ceiling: -1 }, { ...stereo, sampleRate });
  expect([up, down]).toEqual([`aresample=${rate}`, `aresample=${sampleRate}:internal_sample_fmt=fltp`]);
});

test.each([
  [-1, '0.891251'],
  [0.4, '1.000000'],
  [-60, '0.063096'],
])('a ceiling of %f dBTP is the limit %s', (ceiling, limit) => {
  expect(levelFilters({ gain: 6, ceiling }, stereo).join()).toContain(`limit=${limit},`);
});
