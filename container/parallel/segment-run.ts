import { decodeGuards, partGuards } from '../ffmpeg/whitelist.ts';
import { encodeOptions, gapFilter, type OutputPlan } from '../ffmpeg/format.ts';
import type { RawFormat } from './entry.ts';
import type { SourceFrames } from './mp3/source-frames.ts';
import type { Segment } from './plan.ts';

/** What ffmpeg is told for one segment (pure). */
export interface SegmentRun {
  input: string;
  inputOptions: string[];
  outputOptions: string[];
}

/** A seek lands this much early, in seconds: decoders are warm by then. What is too early is trimmed by samples. */
const seekMarginSeconds = 0.5;

/** Reading may stop this much after the last sample wanted, in seconds. */
const readMarginSeconds = 1;

/** Where samples are in the file of raw samples. */
export interface RawSamples {
  path: string;
  format: RawFormat;
  channels: number;
  /** Hz */
  sampleRate: number;
  /** bytes of one sample of all channels */
  sampleBytes: number;
}

/** Bytes `from` to before `to` (0: the end) of a file of ours. */
function partOf(path: string, from: number, to: number): string {
  return `subfile,,start,${from},end,${to},,:${path}`;
}

/** The first segment reads the source as the single run does, and stops. */
function firstRun(sourcePath: string, sourceRate: number, segment: Segment, plan: OutputPlan): SegmentRun {
  if (segment.sourceTo === undefined || segment.outputSamples === undefined) {
    return { input: sourcePath, inputOptions: [...decodeGuards], outputOptions: encodeOptions(plan) };
  }
  const readSeconds = segment.sourceTo / sourceRate + readMarginSeconds;
  return {
    input: sourcePath,
    inputOptions: [...decodeGuards, '-t', readSeconds.toFixed(6)],
    outputOptions: encodeOptions(plan, { output: `atrim=end_sample=${segment.outputSamples}` }),
  };
}

export function seekRun(sourcePath: string, sourceRate: number, segment: Segment, plan: OutputPlan): SegmentRun {
  const { sourceFrom, sourceTo } = segment;
  if (sourceFrom === 0) return firstRun(sourcePath, sourceRate, segment, plan);
  const early = Math.min(sourceFrom, Math.round(seekMarginSeconds * sourceRate));
  const end = sourceTo === undefined ? undefined : sourceTo - sourceFrom + early;
  const trim = `atrim=start_sample=${early}${end === undefined ? '' : `:end_sample=${end}`}`;
  return {
    input: sourcePath,
    inputOptions: [
      ...decodeGuards,
      ...['-ss', ((sourceFrom - early) / sourceRate).toFixed(6)],
      ...(end === undefined ? [] : ['-t', (end / sourceRate + readMarginSeconds).toFixed(6)]),
    ],
    outputOptions: encodeOptions(plan, { source: `${trim},asetpts=N/SR/TB` }),
  };
}

export function frameRun(
  sourcePath: string,
  sourceRate: number,
  frames: SourceFrames,
  segment: Segment,
  plan: OutputPlan,
): SegmentRun {
  const { sourceFrom, sourceTo } = segment;
  if (sourceFrom === 0) return firstRun(sourcePath, sourceRate, segment, plan);
  const { from, to, startSample, endSample } = frames.range(sourceFrom, sourceTo);
  return {
    input: partOf(sourcePath, from, to),
    inputOptions: partGuards('mp3', 'mp3float'),
    outputOptions: encodeOptions(plan, {
      source: `atrim=start_sample=${startSample}:end_sample=${endSample},asetpts=N/SR/TB`,
    }),
  };
}

export function rawRun(sourcePath: string, raw: RawSamples, segment: Segment, plan: OutputPlan): SegmentRun {
  const { sourceFrom, sourceTo } = segment;
  if (sourceFrom === 0) return firstRun(sourcePath, raw.sampleRate, segment, plan);
  return {
    input: partOf(raw.path, sourceFrom * raw.sampleBytes, (sourceTo ?? 0) * raw.sampleBytes),
    inputOptions: [
      ...partGuards(raw.format, `pcm_${raw.format}`),
      ...['-ar', String(raw.sampleRate), '-ac', String(raw.channels)],
    ],
    outputOptions: encodeOptions(plan),
  };
}

/** The one decode of a source into raw samples, holes in its time filled as for every encoder. */
export function decodeOptions(format: RawFormat): string[] {
  return ['-map', '0:a:0', '-af', gapFilter, '-c:a', `pcm_${format}`, '-f', format];
}
