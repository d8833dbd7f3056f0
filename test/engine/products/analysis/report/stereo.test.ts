import { expect, test } from 'vitest';
import { StereoMeter } from '../../../../../engine/products/analysis/report/stereo.ts';
import { addInBlocks, noise, samplesOfWave, sine, type Wave } from './report-signals.ts';

const sampleRate = 8000;

function stereoOf(wave: Wave, seconds = 4) {
  const meter = new StereoMeter(sampleRate);
  addInBlocks(meter, samplesOfWave(wave, { seconds, sampleRate }), 2);
  return meter.result();
}

const [one, other, middle] = [noise(0.3, 1), noise(0.3, 2), noise(0.4, 3)];

test.each<[string, string, number | null, Wave]>([
  ['both channels alike', 'mono', 1, (time) => [sine(440, 0.5)(time), sine(440, 0.5)(time)]],
  ['one half as loud, and DC under it', 'mono', 1, (time) => [sine(440, 0.5)(time), sine(440, 0.25)(time) + 0.2]],
  ['one inverted', 'inverted', -1, (time) => [sine(440, 0.5)(time), -sine(440, 0.5)(time)]],
  ['two that have nothing in common, but DC', 'stereo', 0, () => [one() + 0.3, other() + 0.3]],
  ['one silent', 'one_sided', null, (time) => [sine(440, 0.5)(time), 0]],
  ['both silent', 'silent', null, () => [0, 0]],
])('%s: %s', (_name, kind, correlation, wave) => {
  const stereo = stereoOf(wave);
  expect(stereo?.kind).toBe(kind);
  if (correlation === null) expect(stereo?.correlation).toBeNull();
  else expect(Math.abs((stereo?.correlation ?? NaN) - correlation)).toBeLessThan(0.02);
});

test('stereo with one inverted channel is recognised even if the channels differ much', () => {
  const wave: Wave = () => {
    const centre = middle();
    return [centre + one(), -(centre + other())];
  };
  // The channels share 0.16 of 0.25 of their power.
  expect(stereoOf(wave)).toMatchObject({ kind: 'inverted', outOfPhaseSeconds: 4 });
  expect(Math.abs((stereoOf(wave)?.correlation ?? 0) + 0.64)).toBeLessThan(0.02);
});

test('seconds out of phase are reported with their position', () => {
  const wave: Wave = (time) => {
    const value = sine(440, 0.5)(time);
    return [value, time >= 5 && time < 7 ? -value : value];
  };
  expect(stereoOf(wave, 9)).toMatchObject({
    kind: 'stereo',
    outOfPhaseSeconds: 2,
    worst: [
      { start: 5, correlation: -1 },
      { start: 6, correlation: -1 },
    ],
  });
});
