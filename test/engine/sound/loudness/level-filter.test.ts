import { expect, test } from 'vitest';
import { levelFilters } from '../../../../engine/sound/loudness/level-filter.ts';
import { run } from '../../../support/process.ts';

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
  const [, up, , down] = levelFilters({ gain: 6, ceiling: -1 }, { ...stereo, sampleRate });
  expect([up, down].map((filter) => filter?.split(':')[0])).toEqual([`aresample=${rate}`, `aresample=${sampleRate}`]);
});

test.each([
  [-1, '0.891251'],
  [0.4, '1.000000'],
  [-60, '0.063096'],
])('a ceiling of %f dBTP is the limit %s', (ceiling, limit) => {
  expect(levelFilters({ gain: 6, ceiling }, stereo).join()).toContain(`limit=${limit},`);
});

test('a limiter keeps 20 kHz of a source at 44.1 kHz within 0.1 dB', async () => {
  const tone = `aevalsrc='0.1*sin(2*PI*20000*t)':s=44100:d=2`;
  const filters = levelFilters({ gain: 0, ceiling: -1 }, { sampleRate: 44_100, channelLayouts: 'mono' });
  const meter = ['atrim=0.5:1.5', 'astats=measure_perchannel=none:measure_overall=RMS_level'];
  const graph = ['aformat=sample_fmts=flt', ...filters, ...meter].join();
  const { output } = await run('ffmpeg', ['-nostdin', '-f', 'lavfi', '-i', tone, '-af', graph, '-f', 'null', '-']);
  const level = Number(/RMS level dB: (\S+)/.exec(output)?.[1]);
  expect(Math.abs(level - 20 * Math.log10(0.1 / Math.SQRT2))).toBeLessThan(0.1);
});
