import { expect, test } from 'vitest';
import { namedLoudness } from '../../../contract/loudness.ts';
import { builtInPresets } from '../../../contract/presets.ts';
import { wantedLufs, namedTargets } from '../../../page/words/loudness-target.ts';

const presets = Object.entries(builtInPresets).map(([name, preset]) => ({ name, ...preset })) as never;

test('has the same loudness targets as the contract', () => {
  const figures = Object.entries(namedLoudness).map(([name, { integrated }]) => [name, integrated]);
  expect(namedTargets).toEqual(Object.fromEntries(figures));
});

test.each([
  [{ preset: 'podcast-mp3-stereo' }, -16],
  [{ preset: 'audiobook-m4b' }, -19],
  [{ preset: 'archive-flac' }, undefined],
  [{ preset: 'podcast-mp3-stereo', loudness: 'ebu-r128' }, -23],
  [{ format: 'mp3_128', loudness: { integrated: -18.5, truePeak: -1 } }, -18.5],
  [{ preset: 'podcast-mp3-stereo', loudness: 'none' }, undefined],
])('reads from the output %j the target %j LUFS', (output, target) => {
  expect(wantedLufs({ input: { outputs: [{}, output] } }, 1, presets)).toBe(target);
});
