import { expect, test } from 'vitest';
import { chooseSampleRate } from '../../contract/output-rules.ts';
import { settleFile } from '../support/settled-outputs.ts';
import type { SoundSettings } from '../../contract/file-settings.ts';

const flac = settleFile({ format: 'flac' }) as SoundSettings;
const rateFor = (sourceRate: number) => chooseSampleRate(flac, 2, undefined, sourceRate);

test.each([
  [352_800, 352_800],
  [655_340, 655_340],
  [655_360, 327_680],
  [705_600, 352_800],
  [768_000, 384_000],
  [1_411_200, 352_800],
  [3_072_000, 384_000],
])('FLAC of a source at %i Hz has %i Hz', (sourceRate, rate) => {
  expect(rateFor(sourceRate)).toBe(rate);
});

test.each([65_535, 655_350])('refuses FLAC at %i Hz, which ffmpeg does not encode', (sourceRate) => {
  expect(() => rateFor(sourceRate)).toThrow(`not at ${sourceRate} Hz`);
});
