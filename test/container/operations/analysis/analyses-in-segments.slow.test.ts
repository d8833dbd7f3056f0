import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { TestContainer } from '../../../support/container.ts';
import { makeMedia, rawSamplesOf, sha256Of } from '../../../support/media-files.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';
import { rowsExcept } from '../../../support/rows.ts';

/** A source this long is split. */
const seconds = 301;
const clickSeconds = 222.5;

const container = await stopAfterAll(TestContainer.start({ ENCODE_PARALLELISM: '2' }));
// No two seconds of this sound are alike.
const sound = `aevalsrc=0.2*sin(2*PI*t*(200+t))+0.5*between(t\\,${clickSeconds}\\,${clickSeconds}+0.001)|0.1*sin(77*t*t)`;
const source = ['-f', 'lavfi', '-i', `${sound}:s=16000:d=${seconds}`];
await makeMedia(container.mediaRoot, 'long.wav', ...source);
const fromWav = ['-i', `${container.mediaRoot}/long.wav`];
await Promise.all([
  makeMedia(container.mediaRoot, 'long.flac', ...fromWav),
  makeMedia(container.mediaRoot, 'long.mp3', ...fromWav, '-b:a', '64k'),
  makeMedia(container.mediaRoot, 'long.m4a', ...fromWav, '-b:a', '64k'),
]);

afterAll(async () => {
  expect(await container.jobFolders()).toEqual([]);
});

const analyses: DescribedOutput[] = [
  { analysis: 'peaks', zoom: 1000, splitChannels: true, dataFormat: 'dat' },
  { analysis: 'peaks', bits: 8 },
  { image: 'waveform', width: 301, height: 40 },
  { analysis: 'peaks', zoom: 77, trim: { start: 3.3, end: 299 }, fade: { in: 10 } },
];

/** Resolves once the log of the job has been read. */
async function analyse(source: string, outputs: DescribedOutput[], parallel: boolean): Promise<string[]> {
  const targets = outputs.map((_, index) => `out/${source}/${parallel}/${outputs.length}/${index}`);
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl(source),
    outputs: outputs.map((output, index) => ({ ...output, uploadUrl: container.fileUrl(targets[index] ?? '') })),
    parallel,
  });
  expect(answer).toMatchObject({ status: 200, body: { source: { complete: true } } });
  await container.process.untilLogged(`[JOB_END] Completed encoding job ${answer.body.jobId}. Active jobs: 0`);
  return targets.map((target) => `${container.mediaRoot}/${target}`);
}

function loggedSegments(): unknown[] {
  return container.process.logLines.filter(({ msg }) => msg === 'Encoding in parallel segments');
}

test.each(
  rowsExcept(
    ['long.wav', 'long.flac', 'long.m4a'],
    [
      ['long.wav', [4, 4]],
      ['long.flac', [4, 4]],
      ['long.mp3', [4, 4]],
      // One process decodes m4a: seeking to its middle would decode everything before.
      ['long.m4a', undefined],
    ],
  ),
)('analyses %s in segments %j with the same result as in one piece', async (source, segments) => {
  const before = loggedSegments().length;
  const [split, whole] = [await analyse(source, analyses, true), await analyse(source, analyses, false)];
  expect(loggedSegments().slice(before)).toEqual(segments === undefined ? [] : [expect.objectContaining({ segments })]);
  const [hashes, wholeHashes] = await Promise.all(
    [split, whole].map(async (paths) => await Promise.all(paths.map(sha256Of))),
  );
  expect(hashes).toEqual(wholeHashes);
  expect(container.process.logLines.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level ?? ''))).toEqual(
    [],
  );

  // Both match what plain ffmpeg decodes.
  const peaks = (await readFile(split[0] ?? '')).subarray(24);
  const samples = await rawSamplesOf(`${container.mediaRoot}/${source}`, 'f32le');
  const pixels = Math.ceil(samples.length / 2 / 1000);
  expect(peaks.length).toBe(pixels * 2 * 2 * 2);
  let loudest = { pixel: 0, peak: 0 };
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    for (const channel of [0, 1]) {
      let [least, greatest] = [Infinity, -Infinity];
      for (let frame = pixel * 1000; frame < Math.min((pixel + 1) * 1000, samples.length / 2); frame += 1) {
        const value = Math.trunc((samples[frame * 2 + channel] ?? 0) * 32_768);
        [least, greatest] = [Math.min(least, value), Math.max(greatest, value)];
      }
      const at = (pixel * 2 + channel) * 4;
      if (peaks.readInt16LE(at) !== least || peaks.readInt16LE(at + 2) !== greatest) {
        expect.fail(`pixel ${pixel} of channel ${channel}`);
      }
      if (channel === 0 && greatest > loudest.peak) loudest = { pixel, peak: greatest };
    }
  }
  expect(Math.abs((loudest.pixel * 1000) / 16_000 - clickSeconds)).toBeLessThan(0.13);
});

test('analyses in segments beside encodes with the same result', async () => {
  const outputs: DescribedOutput[] = [{ format: 'mp3_64' }, ...analyses];
  const before = loggedSegments().length;
  const paths = await analyse('long.m4a', outputs, true);
  expect(loggedSegments().slice(before)).toEqual([expect.objectContaining({ segments: [2, 4, 4] })]);
  const alone = await analyse('long.m4a', analyses, false);
  expect(await Promise.all(paths.slice(1).map(sha256Of))).toEqual(await Promise.all(alone.map(sha256Of)));
});
