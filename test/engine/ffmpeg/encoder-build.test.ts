import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { digestEncoders, encoderBuild, readEncoderFacts } from '../../../engine/ffmpeg/encoder-build.ts';

/** Uses a program of test/fixtures/ffmpeg as ffmpeg. */
function useFfmpeg(name: string): void {
  process.env['FFMPEG_PATH'] = fileURLToPath(new URL(`../../fixtures/ffmpeg/${name}`, import.meta.url));
}

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
  useFfmpeg('is-another-build');
  const built = await readEncoderFacts();
  expect(built.trials).toEqual(facts.trials);
  const others = [built, { ...facts, trials: ['none'] }, { ...facts, instructions: ['sse4_2'] }];
  expect(new Set([facts, ...others].map(digestEncoders)).size).toBe(4);
});

test('reports that ffmpeg does not run instead of identifying it', async () => {
  useFfmpeg('dies');
  await expect(readEncoderFacts()).rejects.toThrow();
});

test('identifies an ffmpeg that lacks an encoder by its other encoders', async () => {
  useFfmpeg('lacks-libx265');
  const { trials } = await readEncoderFacts();
  expect(trials.map((trial) => trial.slice(0, 4))).toEqual(['MD5=', 'none', 'MD5=', 'MD5=']);
});

test('tries the encoders again after a trial has failed for lack of memory', async () => {
  useFfmpeg('has-no-memory-for-trials');
  await expect(encoderBuild()).rejects.toThrow('Cannot allocate memory');
  delete process.env['FFMPEG_PATH'];
  expect(await encoderBuild()).toBe(digestEncoders(await readEncoderFacts()));
});
