import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectSampleParts } from '../../../../../engine/sound/segmented/join/sample-parts.ts';
import { testFolder } from '../../../../support/folder.ts';
import { makeMedia } from '../../../../support/media-files.ts';

test('moves segments of samples into a folder, without a copy or a hard link', async () => {
  const folder = testFolder();
  const tone = ['-f', 'lavfi', '-i', 'sine=duration=1:sample_rate=8000'];
  const paths = await Promise.all(['0.wav', '1.wav'].map((name) => makeMedia(folder, name, ...tone)));
  const before = await Promise.all(paths.map(async (path) => (await stat(path)).ino));
  const segments = paths.map((path, index) => ({ path, cut: index * 8000, runIn: 0 }));
  const { parts = [], frames, seamFrames } = await collectSampleParts(segments, join(folder, 'out'));
  expect([frames, seamFrames]).toEqual([16_000, [8000]]);
  expect(await Promise.all(parts.map(async (path) => (await stat(path)).ino))).toEqual(before);
  expect(await readdir(folder)).toEqual(['out']);
  expect((await readFile(parts[0] ?? '')).toString('latin1', 0, 4)).toBe('RIFF');
});
