import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastGranulePosition, readOpusHead } from '../../../../../engine/formats/ogg/opus.ts';
import { PacketFile } from '../../../../../engine/formats/ogg/packet-file.ts';
import { joinOpus } from '../../../../../engine/sound/segmented/join/opus.ts';
import { findOpusSeam, readModes } from '../../../../../engine/sound/segmented/join/opus-seam.ts';
import { makeOnce } from '../../../../support/media.ts';
import { music, speech } from '../inputs.ts';
import { inFolder, jobIn, segmentedRun, prepare, singleRun } from '../support.ts';

describe('a file taken apart and put together', () => {
  test.each([
    ['opus_24', 1, 24_000],
    ['opus_96', 2, 48_000],
    // Packets with more than 255 lacing values per second continue on the next page.
    ['opus_510', 2, 48_000],
  ])('%s, %d ch, %d Hz: the same bytes', async (format, channels, sampleRate) => {
    await inFolder(async (folder) => {
      const input = await music({ seconds: 12.3 });
      const [whole, again] = [join(folder, 'whole'), join(folder, 'again')];
      const { plan } = await prepare(input, { format, channels, sampleRate });
      await singleRun(input, plan, whole);
      await joinOpus([{ path: whole, cut: 0, runIn: 0 }], again);
      expect((await readFile(again)).equals(await readFile(whole))).toBe(true);
    });
  });
});

test.each([
  ['music', 'opus_96', 3],
  ['speech', 'opus_24', 2],
])(
  '%s as %s in %d segments: pre-skip, granule positions and packets as in the single run',
  async (kind, format, count) => {
    await inFolder(async (folder) => {
      const input = kind === 'music' ? await music({ seconds: 61.234 }) : await speech({ seconds: 61.234 });
      const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
      const { source, plan } = await prepare(input, { format });
      const { file } = await segmentedRun(source, plan, count, () => 0.5, jobIn(folder), segmented);
      await singleRun(input, plan, single);
      const [a, b] = [await readFile(single), await readFile(segmented)];
      expect(readOpusHead(b)).toEqual(readOpusHead(a));
      expect(lastGranulePosition(b)).toBe(lastGranulePosition(a));
      const [packetsA, packetsB] = [await PacketFile.open(single, 2), await PacketFile.open(segmented, 2)];
      expect(packetsB.packetCount).toBe(packetsA.packetCount);
      // The encoder is the same before the first seam.
      expect((await packetsB.packet(0)).equals(await packetsA.packet(0))).toBe(true);
      await packetsA.close();
      await packetsB.close();
      const { exact = 0, matched = 0 } = file?.seams ?? {};
      expect(exact + matched).toBe(count - 1);
    });
  },
);

test('the modes of a packet are those of all of its streams', () => {
  const long = [0xfc, 253, 1, ...Array.from({ length: 257 }, () => 7)];
  const packet = Uint8Array.from([...long, 0xf8, 2, 7, 7, 0xb8, 9, 9, 9]);
  expect(readModes(packet, 3)).toBe('252,248,184');
  expect(readModes(packet, 1)).toBe('252');
  expect(readModes(Uint8Array.from([0xfd, 2, 7, 7, 0xb8, 9]), 2)).toBeUndefined();
});

/** An open file of two streams in each packet, in place of its own file. */
function fileOf(packets: readonly number[][]): PacketFile {
  const headerPacket = Buffer.alloc(21);
  headerPacket.set([1, 2], 18);
  const packet = async (index: number): Promise<Buffer> => Buffer.from(packets[index] ?? []);
  return { headerPacket, packetCount: packets.length, packet } as unknown as PacketFile;
}

test('two encoders that never agree meet where packets are smallest and all of their streams have one mode', async () => {
  /** The second stream has the mode `mode`, and `bytes` bytes that differ by `encoder`. */
  const packet = (mode: number, bytes: number, encoder: number): number[] => [
    ...[0xf8, 1, encoder, mode],
    ...Array.from({ length: bytes }, () => encoder),
  ];
  const packetsOf = (encoder: number, mode: number): number[][] => [
    ...[40, 40, 20, 20, 40].map((bytes) => packet(0xb8, bytes, encoder)),
    ...[5, 5, 5].map((bytes) => packet(mode, bytes, encoder)),
  ];
  const seam = await findOpusSeam(fileOf(packetsOf(1, 0xb8)), 1, fileOf(packetsOf(2, 0x78)), 1);
  expect(seam).toEqual({ earlier: 3, later: 3, isExact: false });
});

test('5.1 channels as opus in 2 segments: pre-skip, length and packets as in the single run', async () => {
  await inFolder(async (folder) => {
    const pan = 'pan=5.1|FL=FL|FR=FR|FC=0.5*FL+0.5*FR|LFE=0.3*FL|BL=FL-0.5*FR|BR=FR-0.5*FL';
    const input = await makeOnce('surround-61s.wav', ['-i', await music({ seconds: 61.234 }), '-af', pan]);
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const { source, plan } = await prepare(input, { format: 'opus_256' });
    const { file } = await segmentedRun(source, plan, 2, () => 0.5, jobIn(folder), segmented);
    await singleRun(input, plan, single);
    const { exact = 0, matched = 0 } = file?.seams ?? {};
    expect(exact + matched).toBe(1);
    const [a, b] = [await readFile(single), await readFile(segmented)];
    expect(readOpusHead(b)).toEqual({ ...readOpusHead(a), channels: 6 });
    expect(lastGranulePosition(b)).toBe(lastGranulePosition(a));
    const [packetsA, packetsB] = [await PacketFile.open(single, 2), await PacketFile.open(segmented, 2)];
    expect(packetsB.packetCount).toBe(packetsA.packetCount);
    expect(packetsB.headerPacket).toEqual(packetsA.headerPacket);
    await packetsA.close();
    await packetsB.close();
  });
});

test('a file that is not a single Opus stream is rejected', async () => {
  await inFolder(async (folder) => {
    const input = await music({ seconds: 12.3 });
    const path = join(folder, 'whole');
    await singleRun(input, (await prepare(input, { format: 'opus_64' })).plan, path);
    const whole = await readFile(path);
    const joinAgain = async (): Promise<unknown> => await joinOpus([{ path, cut: 0, runIn: 0 }], join(folder, 'out'));
    // A second file after the first (a chain), a truncated file, another format.
    await appendFile(path, whole);
    await expect(joinAgain()).rejects.toThrow('another stream');
    await writeFile(path, whole.subarray(0, -100));
    await expect(joinAgain()).rejects.toThrow('cut off');
    await writeFile(path, Buffer.alloc(1000));
    await expect(joinAgain()).rejects.toThrow('Ogg page');
  });
});
