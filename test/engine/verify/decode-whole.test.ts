import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findDecodeProblem } from '../../../engine/verify/decode-whole.ts';
import type { OutputPlan } from '../../../engine/plan/planned-output.ts';
import { useFolder } from '../../support/folder.ts';
import { makeMedia } from '../../support/media-files.ts';
import { motion, quickH264, tone } from '../../support/films.ts';

const folder = useFolder();

const limits = {
  ...{ maxSourceBytes: 1e9, maxSourceDurationSeconds: 100, maxSourceStreams: 8 },
  ...{ stallTimeoutSeconds: 30, maxOutputBytes: 1e9, maxCpuSeconds: 60 },
};
const run = { limits, signal: new AbortController().signal, advance: () => {} };

const plan = {
  ...{ label: 'mp4', container: 'mp4' },
  ...{ video: {}, audio: { codec: 'aac', sampleRate: 48_000 } },
} as unknown as OutputPlan;

test('every picture and sample that entered the encoders is counted when the file is decoded', async () => {
  const path = await makeMedia(folder, 'film.mp4', ...motion(1), ...tone(1), ...quickH264, '-c:a', 'aac');
  const problemOf = (frames: number, seconds: number) =>
    findDecodeProblem(path, plan, { video: { frames, seconds: 1 }, audio: { seconds } }, run);
  expect(await problemOf(25, 1)).toBeUndefined();
  expect(await problemOf(26, 1)).toBe('it decodes to 25 pictures, but 26 were encoded');
  expect(await problemOf(24, 1)).toContain('25 pictures');
  // One packet of AAC too few, and more than any encoder adds.
  expect(await problemOf(25, 1 + 1024 / 48_000)).toContain('s of sound, but 1.021 s were encoded');
  expect(await problemOf(25, 0.9)).toContain('s of sound, but 0.900 s were encoded');
});

test('a single changed bit of sound is detected if the codec has a checksum', async () => {
  const path = await makeMedia(folder, 'sound.flac', ...tone(1));
  const flac = { ...plan, video: undefined, container: 'flac', audio: { codec: 'flac', sampleRate: 48_000 } };
  const problem = () => findDecodeProblem(path, flac as unknown as OutputPlan, { audio: { seconds: 1 } }, run);
  expect(await problem()).toBeUndefined();
  const bytes = readFileSync(path);
  const place = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  writeFileSync(path, bytes);
  expect(await problem()).toBe('it cannot be decoded to its end without an error');
});
