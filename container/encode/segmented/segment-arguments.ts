import { decodeGuards, partGuards } from '../../ffmpeg/guards.ts';
import { subfileUrl } from '../../ffmpeg/subfile.ts';
import { encodeArguments } from '../arguments.ts';
import type { OutputPlan } from '../output-plan.ts';
import type { RawPart } from '../raw-samples.ts';
import type { SourceFrames } from '../../formats/mp3/source-frames.ts';
import type { Segment } from './plan.ts';

/** ffmpeg's arguments for one segment. All functions here are pure. */
export interface SegmentArguments {
  input: string;
  inputOptions: string[];
  outputOptions: string[];
}

/** A seek goes this much before the first sample wanted, in seconds, for the decoder to settle. What is too early is trimmed by samples. */
const seekMarginSeconds = 0.5;

/** Reading may stop this much after the last sample wanted, in seconds. */
const readMarginSeconds = 1;

/** The first segment reads the source as the single run does, and stops. The functions below are for the others, one for each kind of entry. */
export function firstSegmentArguments(
  sourcePath: string,
  sourceRate: number,
  segment: Segment,
  plan: OutputPlan,
): SegmentArguments {
  if (segment.sourceTo === undefined || segment.outputSamples === undefined) {
    return { input: sourcePath, inputOptions: [...decodeGuards], outputOptions: encodeArguments(plan) };
  }
  const readSeconds = segment.sourceTo / sourceRate + readMarginSeconds;
  return {
    input: sourcePath,
    inputOptions: [...decodeGuards, '-t', readSeconds.toFixed(6)],
    outputOptions: encodeArguments(plan, { output: `atrim=end_sample=${segment.outputSamples}` }),
  };
}

/** Filters that let through samples `from` to before `to` (undefined: to the end), with time stamps from zero. */
function samplesBetween(from: number, to: number | undefined): string {
  return `atrim=start_sample=${from}${to === undefined ? '' : `:end_sample=${to}`},asetpts=N/SR/TB`;
}

export function seekArguments(
  sourcePath: string,
  sourceRate: number,
  { sourceFrom, sourceTo }: Segment,
  plan: OutputPlan,
): SegmentArguments {
  const early = Math.min(sourceFrom, Math.round(seekMarginSeconds * sourceRate));
  const end = sourceTo === undefined ? undefined : sourceTo - sourceFrom + early;
  return {
    input: sourcePath,
    inputOptions: [
      ...decodeGuards,
      ...['-ss', ((sourceFrom - early) / sourceRate).toFixed(6)],
      ...(end === undefined ? [] : ['-t', (end / sourceRate + readMarginSeconds).toFixed(6)]),
    ],
    outputOptions: encodeArguments(plan, { source: samplesBetween(early, end) }),
  };
}

export function frameArguments(
  sourcePath: string,
  frames: SourceFrames,
  { sourceFrom, sourceTo }: Segment,
  plan: OutputPlan,
): SegmentArguments {
  const { from, to, startSample, endSample } = frames.range(sourceFrom, sourceTo);
  return {
    input: subfileUrl(sourcePath, from, to),
    inputOptions: partGuards('mp3', 'mp3float'),
    outputOptions: encodeArguments(plan, { source: samplesBetween(startSample, endSample) }),
  };
}

export function rawArguments(part: RawPart, plan: OutputPlan): SegmentArguments {
  return { ...part, outputOptions: encodeArguments(plan) };
}
