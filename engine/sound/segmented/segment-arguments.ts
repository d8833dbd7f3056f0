import { decodeGuards, partGuards } from '../../ffmpeg/guards.ts';
import { subfileUrl } from '../../ffmpeg/subfile.ts';
import type { Trim } from '../arguments.ts';
import type { RawPart } from '../../source/raw-samples.ts';
import type { SourceFrames } from '../../formats/mp3/source-frames.ts';
import type { Segment } from './plan.ts';

/** What is read of the source for one segment, and what of it goes out. */
export type SegmentSpan = Pick<Segment, 'sourceFrom' | 'sourceTo' | 'outputSamples'>;

/** What is made of the samples that `trim` leaves: an output's options. */
export type TrimmedOptions = (trim?: Trim) => string[];

/** ffmpeg's arguments for one segment. All functions here are pure. */
export interface SegmentArguments {
  input: string;
  inputOptions: string[];
  outputOptions: string[];
}

/** A seek goes this much before the first sample wanted, in seconds, for the decoder to settle. */
const seekMarginSeconds = 0.5;

/** Reading may stop this much after the last sample wanted, in seconds. */
const readMarginSeconds = 1;

/** The first segment of a source without exact seeking reads it as the single run does, and stops. */
export function firstSegmentArguments(
  sourcePath: string,
  sourceRate: number,
  segment: SegmentSpan,
  options: TrimmedOptions,
): SegmentArguments {
  if (segment.sourceTo === undefined || segment.outputSamples === undefined) {
    return { input: sourcePath, inputOptions: [...decodeGuards], outputOptions: options() };
  }
  const readSeconds = segment.sourceTo / sourceRate + readMarginSeconds;
  return {
    input: sourcePath,
    inputOptions: [...decodeGuards, '-t', readSeconds.toFixed(6)],
    outputOptions: options({ output: `atrim=end_sample=${segment.outputSamples}` }),
  };
}

/** Filters that let through samples `from` to before `to` (undefined: to the end), with time stamps from zero. */
function samplesBetween(from: number, to: number | undefined): string {
  return `atrim=start_sample=${from}${to === undefined ? '' : `:end_sample=${to}`},asetpts=N/SR/TB`;
}

/** Keeps the samples by the numbers that the source has for them: where some are missing, too few come out. */
export function seekArguments(
  sourcePath: string,
  sourceRate: number,
  { sourceFrom, sourceTo }: SegmentSpan,
  options: TrimmedOptions,
): SegmentArguments {
  const seekTo = Math.max(0, sourceFrom / sourceRate - seekMarginSeconds);
  const end = sourceTo === undefined ? '' : `:end_pts=${sourceTo}`;
  return {
    input: sourcePath,
    inputOptions: [
      ...decodeGuards,
      // Else time begins anew at the place that was sought.
      '-copyts',
      ...(seekTo === 0 ? [] : ['-ss', seekTo.toFixed(6)]),
      ...(sourceTo === undefined ? [] : ['-t', (sourceTo / sourceRate - seekTo + readMarginSeconds).toFixed(6)]),
    ],
    outputOptions: options({ source: `atrim=start_pts=${sourceFrom}${end},asetpts=N/SR/TB` }),
  };
}

export function frameArguments(
  sourcePath: string,
  frames: SourceFrames,
  { sourceFrom, sourceTo }: SegmentSpan,
  options: TrimmedOptions,
): SegmentArguments {
  const { from, to, startSample, endSample } = frames.range(sourceFrom, sourceTo);
  return {
    input: subfileUrl(sourcePath, from, to),
    inputOptions: partGuards('mp3', 'mp3float'),
    outputOptions: options({ source: samplesBetween(startSample, endSample) }),
  };
}

export function rawArguments(part: RawPart, options: TrimmedOptions): SegmentArguments {
  return { ...part, outputOptions: options() };
}
