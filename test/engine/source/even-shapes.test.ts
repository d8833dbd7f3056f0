import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evenShapes } from '../../../engine/source/even-shapes.ts';
import { openSource } from '../../../engine/source/source.ts';
import { planOutput } from '../../../engine/products/file/plan-output.ts';
import { makeMedia, placement, samplesOf } from '../../support/media-files.ts';
import { settleFile } from '../../support/settled-outputs.ts';
import { inFolder, jobIn, limits, singleRun } from '../sound/segmented/support.ts';

const rate = 48_000;
const noise = (seconds: number): string[] => [
  '-f',
  'lavfi',
  '-i',
  `anoisesrc=r=${rate}:d=${seconds}:seed=4,lowpass=f=2000`,
];

/** Encodes to WAV as a job does, and returns the samples and whether the sound was decoded in advance. */
async function encodedSamples(path: string, folder: string): Promise<{ samples: Int16Array; isEven: boolean }> {
  const job = jobIn(folder);
  const source = await openSource(path, limits, job.signal);
  const even = await evenShapes(source, new Set(source.tracks), limits, job);
  const output = join(folder, 'output.wav');
  await singleRun(even.audio?.path ?? '', planOutput(settleFile({ format: 'wav' }), even), output);
  return { samples: await samplesOf(output, rate), isEven: even.audio?.path !== path };
}

/** Header of MP2 with 48 kHz, 192 kbit/s and two channels (ISO/IEC 11172-3, 2.4.1.3). */
const header = Buffer.from([0xff, 0xfd, 0xa4, 0x00]);

/** Positions of the headers of all frames that begin in a packet. */
function findFrames(stream: Buffer): number[] {
  const found: number[] = [];
  for (let at = stream.indexOf(header.subarray(0, 3)); at !== -1; at = stream.indexOf(header.subarray(0, 3), at + 1))
    found.push(at);
  return found;
}

interface Damaged {
  path: string;
  whole: string;
}

/** Makes a TS in which one frame has these bits in its header, and the frames after it are lost. */
async function makeDamaged(folder: string, place: number, mask: number, bits: number): Promise<Damaged> {
  const whole = await makeMedia(folder, 'whole.ts', ...noise(4), '-ac', '2', '-c:a', 'mp2', '-b:a', '192k');
  const stream = await readFile(whole);
  const [damaged = 0, ...lost] = findFrames(stream).slice(60, 67);
  stream[damaged + place] = ((stream[damaged + place] ?? 0) & ~mask) | bits;
  for (const at of lost) stream[at] = 0;
  const path = join(folder, 'damaged.ts');
  await writeFile(path, stream);
  return { path, whole };
}

test.each([
  ['one channel', 3, 0xc0, 0xc0],
  ['half the sample rate', 1, 0x08, 0x00],
])('sound after a frame that claims %s, and lost ones, keeps its time', async (_, place, mask, bits) => {
  await inFolder(async (folder) => {
    const { path, whole } = await makeDamaged(folder, place, mask, bits);
    const { samples, isEven } = await encodedSamples(path, folder);
    expect(isEven).toBe(true);
    const wanted = await samplesOf(whole, rate);
    for (const seconds of [0.5, 2.5, 3]) {
      const part = samples.subarray(Math.round(seconds * rate), Math.round((seconds + 0.5) * rate));
      const { lag, likeness } = placement(part, wanted, seconds, rate);
      expect(likeness).toBeGreaterThan(0.95);
      expect(Math.abs(lag)).toBeLessThan(0.001);
    }
  });
});

test.each([
  ['broadcast', 'ts'],
  ['Matroska copy of a broadcast', 'mkv'],
  ['MP4 copy of a broadcast', 'mp4'],
])('a %s that goes on in surround has silence before its late sound only once', async (_, extension) => {
  await inFolder(async (folder) => {
    const pictures = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=4'];
    const codecs = ['-c:v', 'mpeg2video', '-r', '25', '-c:a', 'ac3'];
    const stereo = ['-itsoffset', '1', ...noise(1), '-map', '0:v', '-map', '1:a', '-ac', '2', '-t', '2'];
    const surround = [...noise(2), '-map', '1:v', '-map', '0:a', '-ac', '6'];
    const first = await makeMedia(folder, 'first.ts', ...pictures, ...stereo, ...codecs);
    const second = await makeMedia(
      folder,
      'second.ts',
      ...surround.slice(0, 4),
      ...pictures,
      ...surround.slice(4),
      '-t',
      '2',
      '-output_ts_offset',
      '2',
      ...codecs,
    );
    const broadcast = join(folder, 'broadcast.ts');
    await writeFile(broadcast, Buffer.concat([await readFile(first), await readFile(second)]));
    const copy = ['-i', broadcast, '-map', '0', '-c', 'copy'];
    const path = extension === 'ts' ? broadcast : await makeMedia(folder, `broadcast.${extension}`, ...copy);
    const { samples, isEven } = await encodedSamples(path, folder);
    expect(isEven).toBe(true);
    expect(samples.length / rate).toBeCloseTo(4, 1);
  });
});

test('a broadcast whose samples find no room is encoded from its own file, and leaves no other', async () => {
  await inFolder(async (folder) => {
    const { path } = await makeDamaged(folder, 3, 0xc0, 0xc0);
    const job = jobIn(folder);
    const source = await openSource(path, limits, job.signal);
    const before = await readdir(folder);
    const even = await evenShapes(source, new Set(source.tracks), { ...limits, maxOutputBytes: 100_000 }, job);
    expect(even).toBe(source);
    expect(await readdir(folder)).toEqual(before);
  });
});

test.each(['whole.ts', 'whole.mkv'])('sound of one shape in %s is not decoded in advance', async (name) => {
  await inFolder(async (folder) => {
    const path = await makeMedia(folder, name, ...noise(1), '-c:a', 'mp2');
    expect((await encodedSamples(path, folder)).isEven).toBe(false);
  });
});
