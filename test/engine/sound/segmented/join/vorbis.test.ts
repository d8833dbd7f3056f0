import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pageHeaderSize, readPageHeader } from '../../../../../engine/formats/ogg/page.ts';
import { joinVorbis } from '../../../../../engine/sound/segmented/join/vorbis.ts';
import { randomNumbers } from '../../../../support/random.ts';
import { inFolder, jobIn, segmentedRun, prepare, singleRun } from '../support.ts';
import { inputs } from './mp3-identity-support.ts';

/** A file whose pages have neither their random serial number nor their checksum. */
async function withoutSerial(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  for (let at = 0; at < bytes.length;) {
    const { lacing } = readPageHeader(bytes.subarray(at));
    bytes.fill(0, at + 14, at + 18).fill(0, at + 22, at + 26);
    at += pageHeaderSize + lacing.length + lacing.reduce((sum, length) => sum + length, 0);
  }
  return bytes;
}

describe('a file taken apart and put together', () => {
  test.each([
    ['vorbis_128', 2, 44_100],
    ['vorbis_64', 1, 48_000],
    ['vorbis_32', 1, 16_000],
    ['vorbis_24', 1, 8000],
  ])('%s, %d ch, %d Hz: the same bytes', async (format, channels, sampleRate) => {
    await inFolder(async (folder) => {
      const input = (await inputs['music']?.()) ?? '';
      const [whole, again] = [join(folder, 'whole'), join(folder, 'again')];
      const { plan } = await prepare(input, { format, channels, sampleRate });
      await singleRun(input, plan, whole);
      await joinVorbis([{ path: whole, cut: 0, runIn: 0 }], again);
      expect((await readFile(again)).equals(await readFile(whole))).toBe(true);
    });
  });
});

test.each([
  ['music', { format: 'vorbis_128' }, 3],
  ['music 48k', { format: 'vorbis_96', channels: 2, sampleRate: 44_100 }, 2],
  ['speech', { format: 'vorbis_64' }, 2],
  ['speech 16k', { format: 'vorbis_32' }, 2],
  ['digital silence', { container: 'ogg' as const, audio: { codec: 'vorbis' as const, quality: 5 } }, 2],
  ['music then speech', { container: 'ogg' as const, audio: { codec: 'vorbis' as const, quality: 1 } }, 3],
])('%s as %j in %d segments: the pages of a single run', async (name, request, count) => {
  await inFolder(async (folder) => {
    const input = (await inputs[name]?.()) ?? '';
    const { source, plan } = await prepare(input, request);
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const { file } = await segmentedRun(source, plan, count, randomNumbers(7), jobIn(folder), segmented);
    await singleRun(input, plan, single);
    expect(file?.seams).toEqual({ exact: count - 1, matched: 0 });
    expect((await withoutSerial(segmented)).equals(await withoutSerial(single))).toBe(true);
  });
});

test('a file of another codec, a damaged file, and segments of different sound are rejected', async () => {
  await inFolder(async (folder) => {
    const [music, speech, other] = [join(folder, 'a'), join(folder, 'b'), join(folder, 'c')];
    for (const [name, format, path] of [
      ['music', 'vorbis_64', music],
      ['speech', 'vorbis_64', speech],
      ['music', 'opus_64', other],
    ] as const) {
      const input = (await inputs[name]?.()) ?? '';
      await singleRun(input, (await prepare(input, { format, channels: 1, sampleRate: 48_000 })).plan, path);
    }
    const out = join(folder, 'out');
    const segments = [
      { path: music, cut: 0, runIn: 0 },
      { path: speech, cut: 960_000, runIn: 480_000 },
    ];
    await expect(joinVorbis(segments, out)).rejects.toThrow('no place at seam 1');
    await expect(joinVorbis([{ path: other, cut: 0, runIn: 0 }], out)).rejects.toThrow('no Vorbis file');
    const joinAgain = async (bytes: Buffer): Promise<unknown> => {
      await writeFile(music, bytes);
      return await joinVorbis([{ path: music, cut: 0, runIn: 0 }], out);
    };
    const whole = await readFile(music);
    const tooLong = Buffer.from(whole);
    const page = whole.lastIndexOf('OggS');
    tooLong.writeBigInt64LE(2n ** 24n, page + 6);
    await expect(joinAgain(tooLong)).rejects.toThrow('too short for its length');
    const withHeader = Buffer.from(whole);
    const packet = page + pageHeaderSize + readPageHeader(whole.subarray(page)).lacing.length;
    withHeader.writeUInt8((whole[packet] ?? 0) | 1, packet);
    await expect(joinAgain(withHeader)).rejects.toThrow('holds no sound');
    await expect(joinAgain(whole.subarray(0, -100))).rejects.toThrow('cut off');
  });
});
