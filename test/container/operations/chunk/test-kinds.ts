import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChunkResult, type Chunk } from '../../../../contract/http/chunk.ts';
import { TestContainer } from '../../../support/container.ts';
import { musicOgg, probeAudio } from '../../../support/media.ts';
import { makeMedia, placement, probe, samplesOf, sha256Of } from '../../../support/media-files.ts';

export interface SourceKind {
  name: string;
  args: string[];
  /** Codec of the chunks, by ffprobe's name. */
  codec: string;
  isCopy: boolean;
}

const rate = 8000;

async function packetDigests(path: string): Promise<string[]> {
  const packet = ['-show_packets', '-show_data_hash', 'md5', '-show_entries', 'packet=data_hash'];
  const { packets } = (await probe(path, '-select_streams', 'a:0', ...packet)) as { packets: { data_hash: string }[] };
  return packets.map(({ data_hash }) => data_hash);
}

/** Cuts 12 s of music into chunks of 5 s with 1 s of overlap, for each of these kinds. */
export function testChunksOf(kinds: readonly SourceKind[]): void {
  let container: TestContainer;

  beforeAll(async () => {
    container = await TestContainer.start();
    await makeMedia(container.mediaRoot, 'music.wav', '-i', musicOgg, '-t', '12', '-c:a', 'pcm_s16le');
  });

  afterAll(() => container.stop());

  test.each(kinds)('cuts $name into chunks of $codec, each in its place', async ({ name, args, codec, isCopy }) => {
    const source = await makeMedia(container.mediaRoot, name, '-i', join(container.mediaRoot, 'music.wav'), ...args);
    const folder = name.replace('.', '-');
    const answer = await container.call('POST', '/chunk', {
      ...{ sourceUrl: container.fileUrl(name), chunkDuration: 5, overlapDuration: 1 },
      chunks: [0, 1, 2].map((index) => ({ index, uploadUrl: container.fileUrl(`${folder}/${index}`) })),
    });
    expect(answer).toMatchObject({ status: 200, body: { success: true, totalChunks: 3 } });
    const result = ChunkResult.parse(answer.body);
    expect(result.totalDuration).toBeGreaterThan(11.9);
    expect(result.totalDuration).toBeLessThan(12.1);
    expect(result.chunks?.map(({ index, start }) => [index, start])).toEqual([
      [0, 0],
      [1, 4],
      [2, 8],
    ]);
    const whole = await samplesOf(source, rate);
    const sourcePackets = isCopy ? new Set(await packetDigests(source)) : undefined;
    const check = async (chunk: Chunk): Promise<void> => {
      const path = join(container.mediaRoot, folder, String(chunk.index));
      expect(chunk.size).toBe((await stat(path)).size);
      expect(chunk.sha256).toBe(await sha256Of(path));
      expect((await probeAudio(path)).codec).toBe(codec);

      const samples = await samplesOf(path, rate);
      const ideal = Math.min(5, result.totalDuration - chunk.start);
      expect(Math.abs(chunk.duration - ideal)).toBeLessThanOrEqual(0.1);
      expect(Math.abs(samples.length / rate - chunk.duration)).toBeLessThanOrEqual(0.01);
      const { lag, likeness } = placement(samples, whole, chunk.start, rate);
      expect(likeness).toBeGreaterThan(0.9);
      expect(Math.abs(lag)).toBeLessThanOrEqual(0.05);

      if (sourcePackets === undefined) return;
      for (const digest of await packetDigests(path)) expect(sourcePackets).toContain(digest);
    };
    await Promise.all((result.chunks ?? []).map(check));
  });
}
