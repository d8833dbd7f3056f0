import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSource } from '../../../engine/source/source.ts';
import { planOutput } from '../../../engine/products/file/plan-output.ts';
import { makeMedia, rawSamplesOf } from '../../support/media-files.ts';
import { settleFile } from '../../support/settled-outputs.ts';
import { inFolder, jobIn, limits, singleRun } from '../sound/segmented/support.ts';

const frameSamples = 4096;

/** Positions of the frames of 4096 samples (RFC 9639, 9.1). */
function findFrames(file: Buffer): number[] {
  const sync = Buffer.from([0xff, 0xf8, 0xc9]);
  const found: number[] = [];
  for (let at = file.indexOf(sync); at !== -1; at = file.indexOf(sync, at + 1)) found.push(at);
  return found;
}

async function encodedSamples(folder: string, bytes: Buffer): Promise<Int16Array> {
  const path = join(folder, 'source.flac');
  await writeFile(path, bytes);
  const { signal } = jobIn(folder);
  const output = join(folder, `${bytes.length}.wav`);
  await singleRun(path, planOutput(settleFile({ format: 'wav' }), await openSource(path, limits, signal)), output);
  return await rawSamplesOf(output, 's16le');
}

const bytesOf = (samples: Int16Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

test('FLAC keeps all sound from the middle of a stream, and the time of sound after lost frames', async () => {
  await inFolder(async (folder) => {
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=r=44100:d=6:seed=2'];
    const whole = await makeMedia(
      folder,
      'whole.flac',
      ...noise,
      '-sample_fmt',
      's16',
      '-frame_size',
      String(frameSamples),
    );
    const samples = await rawSamplesOf(whole, 's16le');
    const file = await readFile(whole);
    const frames = findFrames(file);
    const [from = 0, lost = 0, next = 0] = [frames[20], frames[40], frames[43]];
    const heard = await encodedSamples(folder, file.subarray(from));
    expect(bytesOf(heard).equals(bytesOf(samples.subarray(20 * frameSamples)))).toBe(true);
    const silent = samples.slice().fill(0, 40 * frameSamples, 43 * frameSamples);
    // Without its header, and with it.
    for (const [begin, skipped] of [
      [from, 20 * frameSamples],
      [0, 0],
    ] as const) {
      const lossy = Buffer.concat([file.subarray(begin, lost), file.subarray(next)]);
      expect(bytesOf(await encodedSamples(folder, lossy)).equals(bytesOf(silent.subarray(skipped)))).toBe(true);
    }
  });
});
