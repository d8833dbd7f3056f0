import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { makeMedia, placement, samplesOf } from '../../../support/media-files.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

/** Noise resembles itself at one place only. */
const noiseSeconds = 45;
const noise = 'noise.wav';
const chunkSeconds = 20;

/** Writes AMR noise without an encoder: any 31 bytes are a frame of 12.2 kbit/s (RFC 4867, 5.3). */
async function writeAmr(path: string): Promise<void> {
  let state = 1;
  const frame = (): Buffer =>
    Buffer.from([
      0x3c,
      ...Array.from({ length: 31 }, () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >> 16),
    ]);
  await writeFile(path, Buffer.concat([Buffer.from('#!AMR\n'), ...Array.from({ length: noiseSeconds * 50 }, frame)]));
}

export interface ChunkPlaces {
  /** Makes a source of noise by ffmpeg's arguments, and returns its path. */
  make(name: string, args: string): Promise<string>;
  /** Cuts a source into chunks of 20 s. */
  cut(name: string): Promise<{ path: string; start: number }[]>;
  /** Expects every chunk to have exactly the samples that plain ffmpeg decodes there. */
  expectExact(name: string, args: string, sampleRate?: number): Promise<void>;
  /** Expects every chunk to be within 50 ms of its place. */
  expectNear(name: string, args: string): Promise<void>;
}

export async function useChunkPlaces(): Promise<ChunkPlaces> {
  const container = await stopAfterAll(TestContainer.start());
  const file = (name: string): string => join(container.mediaRoot, name);

  const source = `anoisesrc=d=${noiseSeconds}:r=16000:c=pink:seed=7:a=0.3`;
  await makeMedia(container.mediaRoot, noise, '-f', 'lavfi', '-i', source, '-c:a', 'pcm_s16le');

  async function make(name: string, args: string): Promise<string> {
    if (name.endsWith('.amr')) await writeAmr(file(name));
    else await makeMedia(container.mediaRoot, name, '-i', file(noise), ...args.split(' '));
    return file(name);
  }

  async function cut(name: string): Promise<{ path: string; start: number }[]> {
    const uploads = Array.from({ length: Math.ceil(noiseSeconds / chunkSeconds) }, (_, index) => ({
      index,
      uploadUrl: container.fileUrl(`${name}-chunks/${index}`),
    }));
    const answer = await container.call('POST', '/chunk', {
      sourceUrl: container.fileUrl(name),
      chunkDuration: chunkSeconds,
      overlapDuration: 0,
      chunks: uploads,
    });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.chunks.map(({ start, index }: { start: number; index: number }) => {
      expect(start).toBe(index * chunkSeconds);
      return { path: file(`${name}-chunks/${index}`), start };
    });
  }

  return {
    make,
    cut,
    async expectExact(name, args, sampleRate = 16_000) {
      const whole = await samplesOf(await make(name, args), sampleRate);
      expect(whole.length / sampleRate).toBeGreaterThan(noiseSeconds - 1);
      for (const { path, start } of await cut(name)) {
        const part = await samplesOf(path, sampleRate);
        const ideal = whole.subarray(start * sampleRate, (start + chunkSeconds) * sampleRate);
        expect(part.length).toBe(ideal.length);
        expect(part.every((sample, at) => sample === ideal[at])).toBe(true);
      }
    },
    async expectNear(name, args) {
      // Half the rate of the noise resolves 50 ms well enough.
      const sampleRate = 8000;
      const whole = await samplesOf(await make(name, args), sampleRate);
      for (const { path, start } of await cut(name)) {
        const { lag, likeness } = placement(await samplesOf(path, sampleRate), whole, start, sampleRate, 0.3);
        expect(likeness).toBeGreaterThan(0.9);
        expect(Math.abs(lag)).toBeLessThanOrEqual(0.05);
      }
    },
  };
}
