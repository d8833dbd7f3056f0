import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audioOf, openSource } from '../../../engine/source/source.ts';
import { markWildSamples } from '../../../engine/source/wild-samples.ts';
import { wavFile } from '../../media/wav.ts';
import { inFolder, jobIn, limits } from '../sound/segmented/support.ts';

test.each<[string, number[], true | undefined]>([
  ['ordinary samples', [0.5, -0.5], undefined],
  ['samples above full scale', [20, -20], undefined],
  ['NaN', [Number.NaN], true],
  ['an infinite sample', [-Infinity], true],
  ['a sample of 1e30', [1e30], true],
])('%s in floating point are marked only if they are no sound', async (_, values, expected) => {
  await inFolder(async (folder) => {
    const samples = new Float32Array(4410).fill(0.1);
    samples.set(values, 2000);
    const path = join(folder, 'source.wav');
    const shape = { tag: 3, channels: 1, sampleRate: 44_100, bitsPerSample: 32 };
    await writeFile(path, wavFile(shape, Buffer.from(samples.buffer)));
    const job = jobIn(folder);
    const source = await openSource(path, limits, job.signal);
    const marked = await markWildSamples(source, new Set([audioOf(source, 'This test')]), limits, job);
    expect(marked.audio?.hasWildSamples).toBe(expected);
    expect(marked.tracks.map(({ hasWildSamples }) => hasWildSamples)).toEqual([expected]);
  });
});
