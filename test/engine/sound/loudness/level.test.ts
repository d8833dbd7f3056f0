import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { encodeAtLoudness } from '../../../../engine/sound/loudness/encode-at-loudness.ts';
import { createSegmentedCounters } from '../../../../engine/sound/segmented/counters.ts';
import type { Level } from '../../../../engine/plan/audio-plan.ts';
import { audioFilters, type Trim } from '../../../../engine/sound/arguments.ts';
import { seekArguments } from '../../../../engine/sound/segmented/segment-arguments.ts';
import type { LoudnessTarget } from '../../../../contract/loudness.ts';
import { run } from '../../../support/process.ts';
import { makeOnce } from '../../../support/media.ts';
import { sha256Of } from '../../../support/media-files.ts';
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
      tags: { metadata: new Map(), chapters: [], beginsAt: 0 },
      facts: { streams: [], tags: {}, chapters: [] },
      audio: source,
      tracks: [source],
      subtitles: [],
    };
    const job = jobIn(folder);
    const logged = vi.spyOn(job.log, 'info');
    const [file] = await encodeAtLoudness(whole, [target], { ...limits, encodeParallelism }, counters, job);
    const calls: unknown[][] = logged.mock.calls;
    const measured = calls.map(([facts]) => facts as { integrated?: number }).filter((facts) => 'corrections' in facts);
    const left = await readdir(folder);
    const { output } = await run('ffmpeg', ['-v', 'error', '-i', path, '-f', 'md5', '-']);
    const sha256 = await sha256Of(path);
    const meter = ['-nostats', '-i', path, '-af', 'ebur128', '-f', 'null', '-'];
    const heard = /I:\s+(-[\d.]+) LUFS\s+Threshold/.exec((await run('ffmpeg', meter)).output)?.[1];
    return {
      file,
      sha256,
      samples: output.trim(),
      fallbacks: counters.fallbacks,
      measured,
      left,
      heard: Number(heard),
    };
  });
}

const loud = { integrated: -11, truePeak: -1, maxGain: 30 };

test('an mp3 in segments with an active limiter equals that of a single run byte by byte', async () => {
  const input = await music({ seconds: 80 });
  const inSegments = await encodeOne(input, 'mp3_128', loud, 2);
  const byOne = await encodeOne(input, 'mp3_128', loud, 1);
  expect(inSegments).toMatchObject({ file: { segments: 2, seams: { exact: 1, matched: 0 } }, fallbacks: 0 });
  expect(byOne).toMatchObject({
    sha256: inSegments.sha256,
    file: { segments: 1, loudness: inSegments.file?.loudness },
  });
});

test('a target is reached although the encoder answers more gain with less loudness', async () => {
  const tones = '0.05*sin(2*PI*110*t)+0.02*sin(2*PI*8000*t)+0.02*sin(2*PI*12000*t)';
  const input = await makeOnce('tones-3-s.wav', ['-f', 'lavfi', '-i', `aevalsrc=${tones}:s=44100:d=3`]);
  const { file } = await encodeOne(input, 'aac_24', { integrated: -24, truePeak: -1, maxGain: 30 }, 1);
  expect(Math.abs((file?.loudness?.integrated ?? 0) + 24)).toBeLessThanOrEqual(0.1);
  expect(file?.loudness?.note).toBeUndefined();
});

test('only the nearest file is kept if no correction reaches the target, and a note reports what was tried', async () => {
  const input = await makeOnce('tone-3-s.wav', ['-f', 'lavfi', '-i', 'aevalsrc=0.1*sin(2*PI*14000*t):s=44100:d=3']);
  const target = { integrated: -24, truePeak: -1, maxGain: 30 };
  const { file, measured, left, heard } = await encodeOne(input, 'opus_16', target, 1);
  // Fewer files would not test the choice.
  expect(measured).toHaveLength(7);
  const errors = measured.map(({ integrated = NaN }) => Math.abs(integrated - target.integrated));
  expect(errors.indexOf(Math.min(...errors))).not.toBe(6);
  expect(Math.abs((file?.loudness?.integrated ?? 0) - target.integrated)).toBeCloseTo(Math.min(...errors), 1);
  expect(Math.abs(heard - (file?.loudness?.integrated ?? 0))).toBeLessThanOrEqual(0.1);
  expect(file?.loudness?.note).toContain('because its encoder does not follow the gain: 7 encodes with gains of');
  expect(left).toEqual(['output-0']);
});

/** Samples that a segment's encoder and the single run's encoder receive. */
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
])('a limiter that starts midway yields the samples of the whole after a second, %s', async (_, sampleRate) => {
  const input = await music({ seconds: 20 });
  const [from, to] = [7, 15];
  const { whole, part } = await samplesFrom(input, { gain: 22, ceiling: -3 }, sampleRate, { from, to });
  const bytesOf = (seconds: number): number => seconds * sampleRate * 2 * 4;
  const [first, last] = [1, to - from - 1];
  expect(part.length).toBe(bytesOf(to - from));
  const ofPart = part.subarray(bytesOf(first), bytesOf(last));
  expect(ofPart.equals(whole.subarray(bytesOf(from + first), bytesOf(from + last)))).toBe(true);
});
