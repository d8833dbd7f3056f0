import { expect, test } from 'vitest';
import { ChannelLevels } from '../../../../../engine/products/analysis/report/channel-levels.ts';
import { NoiseFloorMeter } from '../../../../../engine/products/analysis/report/noise-floor.ts';
import { addInBlocks, noise, samplesOfWave, sine, type Wave } from './report-signals.ts';

const sampleRate = 48_000;

test('peak, RMS and DC offset are reported per channel', () => {
  const levels = new ChannelLevels(3);
  addInBlocks(
    levels,
    samplesOfWave((time) => [sine(1000, 0.5)(time), 0.25, 0]),
    3,
  );
  expect(levels.result()).toEqual([
    { peak: -6.02, rms: -9.03, dcOffset: 0 },
    { peak: -12.04, rms: -12.04, dcOffset: 0.25 },
    { peak: null, rms: null, dcOffset: 0 },
  ]);
});

function noiseFloorOf(wave: Wave, channels = 1): number {
  const meter = new NoiseFloorMeter({ channels, sampleRate });
  addInBlocks(meter, samplesOfWave(wave, { seconds: 6, sampleRate }), channels);
  return meter.result();
}

test('the noise floor is the RMS of noise in pauses, regardless of speech and DC offset', () => {
  const hiss = noise(0.001);
  // The RMS of uniform noise is its amplitude divided by the square root of 3.
  const rms = 20 * Math.log10(0.001 / Math.sqrt(3));
  const talk = (time: number): number => (time % 2 < 1.6 ? sine(300, 0.3)(time) : 0);
  expect(Math.abs(noiseFloorOf((time) => talk(time) + hiss()) - rms)).toBeLessThan(0.5);
  expect(Math.abs(noiseFloorOf((time) => [talk(time) + hiss() + 0.2, hiss() - 0.1], 2) - rms)).toBeLessThan(0.5);
});

test('digital silence is not noise, and a recording of nothing else has no noise floor', () => {
  expect(Math.abs(noiseFloorOf((time) => (time % 2 < 1 ? 0 : sine(500, 0.1)(time))) + 23)).toBeLessThan(0.2);
  expect(noiseFloorOf(() => 0)).toBe(-Infinity);
  expect(noiseFloorOf(() => 0.5)).toBe(-Infinity);
});
