import { expect, test } from 'vitest';
import { ClippingFinder } from '../../../../../engine/products/analysis/report/clipping.ts';
import type { AudioReport } from '../../../../../contract/http/report.ts';
import { addInBlocks, noise, samplesOfWave, sine, toSixteenBits, type Wave } from './report-signals.ts';

const sampleRate = 48_000;

function findClipping(wave: Wave, { channels = 1, seconds = 1, isEightBit = false } = {}): AudioReport['clipping'] {
  const finder = new ClippingFinder({ channels, sampleRate, isEightBit });
  addInBlocks(finder, samplesOfWave(wave, { seconds, sampleRate }), channels);
  return finder.result();
}

test('an overdriven sine is clipped twice per period, at its peaks, for the right number of samples', () => {
  const overdriven = (time: number): number => toSixteenBits(sine(100, 2)(time));
  const { count, samples, places } = findClipping(overdriven);
  expect(count).toBe(200);
  // Two thirds of a sine of amplitude 2 exceed 1, within one sample per run.
  expect(Math.abs(samples / sampleRate - 2 / 3)).toBeLessThan(0.005);
  expect(places).toHaveLength(100);
  // sin(x) is a half at a twelfth of the period.
  expect(places[0]).toMatchObject({ channel: 0, start: 0.001 });
  expect(Math.abs((places[0]?.samples ?? 0) - 160)).toBeLessThanOrEqual(1);
});

test('sound that was clipped and then attenuated still counts as clipped, on its channel', () => {
  const quiet = sine(440, 0.5);
  const wave = (time: number): number[] => [quiet(time), 0.98 * Math.min(1, Math.max(-1, sine(1000, 1.4)(time)))];
  const { count, places } = findClipping(wave, { channels: 2 });
  expect(count).toBe(2000);
  expect(new Set(places.map(({ channel }) => channel))).toEqual(new Set([1]));
});

test.each<[string, Wave, boolean?]>([
  ['a deep sine at full scale', (time) => toSixteenBits(sine(20, 32_767 / 32_768)(time))],
  ['a sine at full scale', (time) => toSixteenBits(sine(997, 32_767 / 32_768)(time))],
  ['a sine at full scale in floating point', sine(50)],
  ['a sine just below full scale', (time) => toSixteenBits(sine(31, 0.985)(time))],
  ['noise at full scale', noise(1)],
  ['a telephone tone of 8 bits', (time) => Math.round(sine(300)(time) * 127) / 128, true],
  ['silence', () => 0],
  ['a single click', (_, index) => (index === 4711 ? 1 : 0)],
  ['DC below full scale', () => 0.9],
])('%s is not clipped', (_name, wave, isEightBit = false) => {
  expect(findClipping(wave, { isEightBit })).toEqual({ count: 0, samples: 0, places: [] });
});

test('samples that stay at full scale, and floating-point peaks beyond it, are clipped', () => {
  expect(findClipping(() => -1)).toEqual({
    count: 1,
    samples: sampleRate,
    places: [{ channel: 0, start: 0, samples: sampleRate }],
  });
  expect(findClipping(sine(440, 1.2)).count).toBe(880);
});
