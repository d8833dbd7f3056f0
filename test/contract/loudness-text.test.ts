import { expect, test } from 'vitest';
import { describeLoudness } from '../../contract/loudness-text.ts';

const source = { integrated: -24.61, truePeak: -3.2, range: 15 };

test('describes the loudness after and before the encode', () => {
  const loudness = { integrated: -16.02, truePeak: -1.44, range: 14.8, gain: 8.59, source };
  expect(describeLoudness(loudness)).toEqual([
    '-16.0 LUFS, peaks at -1.4 dBTP, range 14.8 LU · before: -24.6 LUFS, peaks at -3.2 dBTP, range 15.0 LU · +8.6 dB',
  ]);
});

test('describes silence as no loudness, with the note on a line of its own', () => {
  const silence = { integrated: null, truePeak: null, range: 0 };
  expect(describeLoudness({ ...silence, gain: 0, source: silence, note: 'The source is silent.' })).toEqual([
    'no loudness · before: no loudness · 0.0 dB',
    'The source is silent.',
  ]);
});
