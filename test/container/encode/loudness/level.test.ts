import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeAtLoudness } from '../../../../container/encode/loudness/encode-at-loudness.ts';
import { createSegmentedCounters } from '../../../../container/encode/segmented/counters.ts';
import type { Level } from '../../../../container/loudness/level-filter.ts';
import { audioFilters, type Trim } from '../../../../container/encode/arguments.ts';
import { seekArguments } from '../../../../container/encode/segmented/segment-arguments.ts';
import type { LoudnessTarget } from '../../../../contract/loudness.ts';
import { run } from '../../../support/process.ts';
import { music } from '../segmented/inputs.ts';
import { audioIn, inFolder, jobIn, limits, prepare } from '../segmented/support.ts';

async function encodeOne(input: string, format: string, loudness: LoudnessTarget, encodeParallelism: number) {
  return await inFolder(async (folder) => {
    const { source, plan } = await prepare(input, { format });
    const path = join(folder, 'output-0');
    const target = { path, plan: { ...plan, audio: { ...audioIn(plan), loudness } } };
    const counters = createSegmentedCounters();
    const whole = {
      path: input,
      formatName: source.formatName,
      estimatedSeconds: source.estimatedSeconds,
      tags: { metadata: new Map(), chapters: [] },
      audio: source,
      tracks: [source],
    };
    const [file] = await encodeAtLoudness(whole, [target], { ...limits, encodeParallelism }, counters, jobIn(folder));
    const { output } = await run('ffmpeg', ['-v', 'error', '-i', path, '-f', 'md5', '-']);
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return { file, sha256, samples: output.trim(), fallbacks: counters.fallbacks };
  });
}

const loud = { integrated: -11, truePeak: -1, maxGain: 30 };

test('with a limiter at work, an mp3 in segments is what one run makes, byte for byte', async () => {
  const input = await music({ seconds: 80 });
  const inSegments = await encodeOne(input, 'mp3_128', loud, 2);
  const byOne = await encodeOne(input, 'mp3_128', loud, 1);
  expect(inSegments).toMatchObject({ file: { segments: 2, seams: { exact: 1, matched: 0 } }, fallbacks: 0 });
  expect(byOne).toMatchObject({
    sha256: inSegments.sha256,
    file: { segments: 1, loudness: inSegments.file?.loudness },
  });
});

/** The samples that a segment's encoder is given, and those that the single run's is. */
async function samplesFrom(input: string, level: Level, sampleRate: number, span: { from: number; to: number }) {
  return await inFolder(async (folder) => {
    const { source, plan } = await prepare(input, { format: 'opus_96' });
    const audio = { ...audioIn(plan), sampleRate, level };
    const options = (trim: Trim = {}): string[] => [
      '-map',
      '0:a:0',
      '-af',
      audioFilters(audio, trim).join(','),
      '-f',
      'f32le',
    ];
    const make = async (sourceFrom: number, sourceTo: number | undefined): Promise<Buffer> => {
      const read = seekArguments(input, source.sampleRate, { sourceFrom, sourceTo, outputSamples: undefined }, options);
      const path = join(folder, `from-${sourceFrom}`);
      await run('ffmpeg', ['-v', 'error', ...read.inputOptions, '-i', read.input, ...read.outputOptions, path]);
      return await readFile(path);
    };
    const { from, to } = span;
    const part = await make(from * source.sampleRate, to * source.sampleRate);
    return { whole: await make(0, undefined), part };
  });
}

test.each([
  ['at the rate of its source', 44_100],
  ['at another rate', 48_000],
  ['at a telephone rate', 8000],
])('a limiter that begins in the middle gives the samples of the whole after a second, %s', async (_, sampleRate) => {
  const input = await music({ seconds: 20 });
  const [from, to] = [7, 15];
  const { whole, part } = await samplesFrom(input, { gain: 22, ceiling: -3 }, sampleRate, { from, to });
  const bytesOf = (seconds: number): number => seconds * sampleRate * 2 * 4;
  const [first, last] = [1, to - from - 1];
  expect(part.length).toBe(bytesOf(to - from));
  const ofPart = part.subarray(bytesOf(first), bytesOf(last));
  expect(ofPart.equals(whole.subarray(bytesOf(from + first), bytesOf(from + last)))).toBe(true);
});
