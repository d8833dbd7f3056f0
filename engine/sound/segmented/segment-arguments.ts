import { decodeGuards, partGuards } from '../../ffmpeg/guards.ts';
import { subfileUrl } from '../../ffmpeg/subfile.ts';
import type { Trim } from '../arguments.ts';
import { type RawPart, readMarginSeconds } from '../../source/raw-samples.ts';
import type { SourceFrames } from '../../formats/mp3/source-frames.ts';
import type { Segment } from './plan.ts';

/** Range of the source that is read for a segment, and the samples of it that are written. */
export type SegmentSpan = Pick<Segment, 'sourceFrom' | 'sourceTo' | 'outputSamples'>;

/** Options of an output for the samples that `trim` leaves. */
export type TrimmedOptions = (trim?: Trim) => string[];

/** ffmpeg arguments for one segment. */
export interface SegmentArguments {
  input: string;
  inputOptions: string[];
  outputOptions: string[];
}

/** Seconds by which a seek precedes the first wanted sample, for the decoder to settle. */
const seekMarginSeconds = 0.5;

/** For a source without exact seeking, the first segment is read like the single run reads it, and then stops. */
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

/** Filters that pass samples `from` to `to` (exclusive; undefined: to the end), with timestamps from zero. */
function samplesBetween(from: number, to: number | undefined): string {
  return `atrim=start_sample=${from}${to === undefined ? '' : `:end_sample=${to}`},asetpts=N/SR/TB`;
}

/** Keeps samples by their numbers in the source. If samples are missing, too few pass. */
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
      // Without this option, time would restart at the seek position.
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
