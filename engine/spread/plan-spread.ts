import { greatestCommonDivisor, valueOf } from '../ffmpeg/rational.ts';
import type { VideoPlan, VideoTiming } from '../plan/video-plan.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import { indexedFormats } from '../pictures/entry.ts';
import { borderGrid, runLengths } from './run-lengths.ts';

/** Pictures of a film that one job encodes: from `from`, before `to`. */
export interface SegmentRange {
  from: number;
  to: number;
  /** Borders of other segments among the pictures that its encoders also get. */
  borders?: readonly number[] | undefined;
}

export type SpreadPlan =
  /** Consecutive segments that cover the film. */
  | { kind: 'segments'; segments: (SegmentRange & { borders?: number[] })[] }
  /** Why one container encodes the film, as a sentence without its full stop. */
  | { kind: 'whole'; reason: string };

export interface SpreadRequest {
  /** A shorter film is not divided. */
  leastSeconds: number;
  /** Wanted number of segments, within these lengths. */
  segments: number;
  segmentSeconds: { least: number; most: number };
}

type ConstantTiming = VideoTiming & { kind: 'constant' };

const spreadCodecs: ReadonlySet<VideoPlan['codec']> = new Set(['h264', 'hevc', 'av1', 'vp9']);

/**
 * Most files of all segments. The request to join them has at most 256 KiB and a URL for each file, of up to 2,500
 * characters if it is signed with a session token. Some files of whole sound are added.
 */
const mostFiles = 90;

/** Part of the wanted length by which a border may move to a key frame of the source, which costs no extra one. */
const borderTolerance = 0.25;

/** Divides the films of a job into segments that containers can encode side by side (pure). */
export function planSpread(
  films: readonly Pick<PictureTarget, 'plan'>[],
  source: PictureSource | undefined,
  { leastSeconds, ...wanted }: SpreadRequest,
): SpreadPlan {
  const whole = (reason: string): SpreadPlan => ({ kind: 'whole', reason });
  const plans = films.map(({ plan }) => plan.video);
  const [first] = plans;
  if (source === undefined || first === undefined) return whole('no output has pictures to encode');
  const obstacle = films.map(({ plan }) => obstacleOf(plan)).find((reason) => reason !== undefined);
  if (obstacle !== undefined) return whole(obstacle);
  const ofSource = obstacleInSource(source);
  if (ofSource !== undefined) return whole(ofSource);
  const { timing } = first;
  if (timing.kind !== 'constant') return whole('the frame rate of the source varies; set fps');
  if (plans.some((plan) => !hasTiming(plan, timing))) {
    return whole('its outputs have different frame rates or lengths');
  }
  const seconds = timing.frames / valueOf(timing.fps);
  if (seconds < leastSeconds) return whole(`the film is shorter than ${leastSeconds} s`);
  const segments = divide(timing, source, segmentLength(seconds, films.length, wanted), gridOf(plans));
  if (segments.length < 2) return whole('the film is too short for two segments');
  return { kind: 'segments', segments: segments.map((range) => withBorders(range, segments, plans)) };
}

/**
 * Adds the borders before and after the neighbours of a segment that is shorter than the pictures before or after it.
 * One encoder has key frames there too. Encoders with an interval place them themselves.
 */
function withBorders(range: SegmentRange, segments: readonly SegmentRange[], plans: readonly VideoPlan[]) {
  const { from, to } = range;
  const runs = plans.filter((plan) => borderGrid(plan) === 1).map(runLengths);
  const first = from - Math.max(0, ...runs.map(({ before }) => before));
  const end = to + Math.max(0, ...runs.map(({ after }) => after));
  const borders = segments
    .map((segment) => segment.from)
    .filter((border) => border > Math.max(0, first) && border < end && border !== from && border !== to);
  return { from, to, ...(borders.length > 0 && { borders }) };
}

/** Wanted length of a segment in seconds. */
export function segmentLength(
  seconds: number,
  films: number,
  { segments, segmentSeconds: { least, most } }: Pick<SpreadRequest, 'segments' | 'segmentSeconds'>,
): number {
  const leastOfFiles = (seconds * films) / (mostFiles * (1 - borderTolerance));
  return Math.max(Math.min(Math.max(seconds / segments, least), most), leastOfFiles);
}

function obstacleOf({ video, checks }: PictureTarget['plan']): string | undefined {
  const { codec, bitrate, fields } = video;
  if (video.isCopied === true || video.awaitsCount === true) return 'its pictures are copied';
  if (!spreadCodecs.has(codec)) return `${codec} is encoded by one container`;
  if (bitrate !== undefined) return 'a bitrate takes two passes over the whole film; use a crf';
  if (video.maxBitrate !== undefined && checks.target?.per === 'scene') {
    return 'a target per scene with a maxBitrate needs one encoder';
  }
  if (fields.kind === 'apparent' || fields.kind === 'inverse telecine') {
    return 'the source is telecined or partly interlaced';
  }
  return undefined;
}

function obstacleInSource(source: PictureSource): string | undefined {
  const { stamps, startsLate, hasRepeated, isStamped, formatName } = source;
  // Every segment would decode the film from its beginning.
  if (!indexedFormats.test(formatName)) return 'the format of the source has no index of its key frames';
  if (startsLate) return 'the source does not begin with a key frame';
  if (stamps === undefined || !isStamped) return 'the source does not state the times of its pictures';
  return hasRepeated ? 'the source repeats the times of its pictures' : undefined;
}

function hasTiming({ timing }: VideoPlan, { frames, startSeconds, fps }: ConstantTiming): boolean {
  return (
    timing.kind === 'constant' &&
    timing.frames === frames &&
    timing.startSeconds === startSeconds &&
    valueOf(timing.fps) === valueOf(fps)
  );
}

/** Least common multiple of the distances at which the outputs can have borders. */
function gridOf(plans: readonly VideoPlan[]): number {
  return plans.map(borderGrid).reduce((grid, one) => (grid * one) / greatestCommonDivisor(grid, one), 1);
}

function divide(timing: ConstantTiming, source: PictureSource, segmentSeconds: number, grid: number): SegmentRange[] {
  const { frames, startSeconds } = timing;
  const fps = valueOf(timing.fps);
  const wanted = Math.max(1, Math.round(segmentSeconds * fps));
  const tick = valueOf(source.timeBase);
  const keys = source.keyTicks.map((key) => Math.round((key * tick - startSeconds) * fps));
  const segments: SegmentRange[] = [];
  let from = 0;
  // A short rest becomes part of the last segment.
  while (frames - from > wanted * 1.5) {
    const to = Math.max(from + grid, borderNear(from + wanted, wanted * borderTolerance, keys, grid));
    if (to >= frames) break;
    segments.push({ from, to });
    from = to;
  }
  return [...segments, { from, to: frames }];
}

function borderNear(wanted: number, tolerance: number, keys: readonly number[], grid: number): number {
  if (grid > 1) return Math.max(1, Math.round(wanted / grid)) * grid;
  const near = keys.filter((key) => Math.abs(key - wanted) <= tolerance);
  return near.reduce((best, key) => (Math.abs(key - wanted) < Math.abs(best - wanted) ? key : best), near[0] ?? wanted);
}

/** Timing of consecutive pictures of a film. */
export function partOfTiming(timing: ConstantTiming, first: number, frames: number): ConstantTiming {
  const { startSeconds, fps, skipped = 0 } = timing;
  return { ...timing, frames, startSeconds: startSeconds + first / valueOf(fps), skipped: skipped + first };
}

/** What an encoder gets to make a segment of an output. */
export interface SegmentWindow {
  timing: ConstantTiming;
  /** Pictures before the segment, which are dropped again. */
  before: number;
  /** Pictures, counted from the first encoded one, that must be key frames beside those of a requested interval. */
  keys: number[];
}

/** Plans the pictures that an encoder gets for a segment (pure). */
export function planWindow(plan: VideoPlan, { from, to, borders = [] }: SegmentRange): SegmentWindow {
  const { timing } = plan;
  if (timing.kind !== 'constant') throw new TypeError('A segment has a constant rate');
  const runs = runLengths(plan);
  // An encoder that counts its key frames must place them as in the middle of the film.
  const grid = borderGrid(plan);
  const before = Math.min(Math.ceil(runs.before / grid) * grid, from);
  const after = Math.min(runs.after, timing.frames - to);
  const first = from - before;
  // An encoder with a requested interval places these keys itself. If x264 is given them, its lookahead passes them.
  const isPlaced = plan.keyframeSeconds !== undefined;
  const keys = [...borders, from, to].filter((border) => border > first && border < to + after);
  return {
    timing: partOfTiming(timing, first, to + after - first),
    before,
    keys: isPlaced ? [] : keys.map((border) => border - first).toSorted((one, other) => one - other),
  };
}
