import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { TestContainer } from '../../../support/container.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264, tone } from '../../../support/films.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';

const service = await useEncodes();
const { encode, encoded, file, make } = service;

const film = (verify: 'headers' | 'full', codec = 'h264'): DescribedOutput => ({
  container: 'mp4',
  video: { codec, speed: 'fast' },
  verify,
});

test('accepts intact files of every codec when it decodes them to their end', async () => {
  await make('film.mkv', ...motion(1), ...tone(1), ...quickH264, '-c:a', 'flac');
  const answer = await encode('film.mkv', [
    film('full'),
    { container: 'mkv', video: { codec: 'hevc', speed: 'fast' }, audio: { codec: 'opus' }, verify: 'full' },
    { container: 'webm', video: { codec: 'vp9', speed: 'fast', width: 64 }, verify: 'full' },
    { container: 'mkv', video: { codec: 'ffv1' }, audio: { codec: 'flac' }, verify: 'full' },
    { container: 'mov', video: { codec: 'prores' }, audio: { codec: 'pcm' }, verify: 'full' },
    { container: 'mp4', video: { codec: 'av1', speed: 'fast' }, audio: false, verify: 'full' },
  ]);
  expect(answer.body).toMatchObject({ outputs: Array.from({ length: 6 }, () => ({})) });
  const formats = ['mp3_64', 'aac_64', 'opus_24', 'vorbis_96', 'ac3_128', 'flac', 'alac', 'wav'];
  const mka = ['aac', 'mp3', 'opus', 'ac3'].map((codec) => ({
    container: 'mka',
    audio: { codec, bitrate: 96 },
    verify: 'full' as const,
  }));
  for (const outputs of [formats.map((format) => ({ format, verify: 'full' as const })), mka]) {
    const sound = await encode('music.wav', outputs);
    expect(sound.body).toMatchObject({ outputs: outputs.map(() => ({})) });
  }
});

test('finds flipped bits in a finished file by decoding it, and uploads nothing', async () => {
  const flipping = fileURLToPath(new URL('../../../fixtures/ffmpeg/flips-bits', import.meta.url));
  await make('flipped.mkv', ...motion(2), ...quickH264);
  const own = await stopAfterTest(TestContainer.start({ FFMPEG_PATH: flipping }));
  await copyFile(file('flipped.mkv'), file('flipped.mkv', own));
  // Headers and packets look right.
  await encoded('flipped.mkv', [film('headers')], {}, own);
  const answer = await encode('flipped.mkv', [film('full')], {}, own);
  expect(answer).toMatchObject({
    status: 422,
    body: { code: 'output_invalid', error: expect.stringContaining('cannot be decoded to its end without an error') },
  });
});
