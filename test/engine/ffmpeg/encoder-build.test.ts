import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { digestEncoders, readEncoderFacts } from '../../../engine/ffmpeg/encoder-build.ts';

afterEach(() => {
  delete process.env['FFMPEG_PATH'];
});

test('encodes the same test pictures to the same bytes with each encoder, every time', async () => {
  const [facts, again] = [await readEncoderFacts(), await readEncoderFacts()];
  expect(facts.trials).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^MD5=[0-9a-f]{32}\n$/)));
  expect(new Set(facts.trials).size).toBe(4);
  expect(again).toEqual(facts);
});

test('distinguishes another build of ffmpeg, another encoder and another processor', async () => {
  const facts = await readEncoderFacts();
  process.env['FFMPEG_PATH'] = fileURLToPath(new URL('../../fixtures/ffmpeg/is-another-build', import.meta.url));
  const built = await readEncoderFacts();
  expect(built.trials).toEqual(facts.trials);
  const others = [built, { ...facts, trials: ['none'] }, { ...facts, instructions: ['sse4_2'] }];
  expect(new Set([facts, ...others].map(digestEncoders)).size).toBe(4);
});

test('reports that ffmpeg does not run instead of identifying it', async () => {
  process.env['FFMPEG_PATH'] = fileURLToPath(new URL('../../fixtures/ffmpeg/dies', import.meta.url));
  await expect(readEncoderFacts()).rejects.toThrow();
});
