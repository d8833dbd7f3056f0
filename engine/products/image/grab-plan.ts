import { firstIndex } from '../../first-index.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { valueOf } from '../../ffmpeg/rational.ts';

/** Pictures that one process decodes, starting at a key frame. */
export interface GrabRun {
  /** ascending */
  numbers: number[];
  /** Seconds on the file's own clock; undefined: from its start. */
  entrySeconds: number | undefined;
  /** Only key frames are decoded. */
  isOfKeysOnly: boolean;
}

/** Pixels of H.264 that take as long to decode as a process takes to start: 0.1 to 0.2 s at 325 million per second. */
const pixelsOfStart = 60_000_000;

/** ffmpeg rejects expressions of a hundred terms; a range of adjacent pictures is one term. */
const mostRanges = 90;

/**
 * Distance before its target at which ffmpeg looks for a key frame if pictures are reordered: 3/23 s (libavformat's
 * `dts_heuristic`).
 */
const seekBackSeconds = 0.135;

/** Further limits of a run. */
interface GrabBounds {
  /** maximum pictures */
  most: number;
}

/**
 * Groups pictures for decoding (pure). If many pixels lie between two pictures, a separate process starts at the key
 * frame before the second: one picture of a two-hour film takes no longer than one of a minute.
 */
export function planGrab(film: PictureSource, numbers: readonly number[], { most }: GrabBounds): GrabRun[] {
  const { stamps, keyTicks } = film;
  const keys = new Set(keyTicks);
  // Without timestamps, pictures can only be counted. ffmpeg enters a transport stream between key frames, and its HEVC
  // decoder then shows pictures whose references are missing.
  const isSeekable = stamps !== undefined && !(film.codec === 'hevc' && film.formatName === 'mpegts');
  const isOfKeysOnly = numbers.every((number) => keys.has(stamps?.[number] ?? NaN));
  const runs: (GrabRun & { ranges: number })[] = [];
  for (const [index, number] of numbers.entries()) {
    const run = runs.at(-1);
    const last = numbers[index - 1];
    const isNext = last === number - 1;
    const goesOn =
      run !== undefined &&
      last !== undefined &&
      run.numbers.length < most &&
      (isNext || run.ranges < mostRanges) &&
      (!isSeekable || skippedPixels(film, last, number, isOfKeysOnly) <= pixelsOfStart);
    if (goesOn) {
      run.numbers.push(number);
      if (!isNext) run.ranges += 1;
      continue;
    }
    const entrySeconds = isSeekable ? entryOf(film, number) : undefined;
    runs.push({ numbers: [number], entrySeconds, isOfKeysOnly, ranges: 1 });
  }
  return runs;
}

/** Pixels that are decoded between two pictures and that a process entering at the second would skip. */
function skippedPixels(
  { stamps = [], keyTicks, coded: { width, height } }: PictureSource,
  from: number,
  to: number,
  isOfKeysOnly: boolean,
): number {
  const [fromTick, toTick] = [stamps[from] ?? 0, stamps[to] ?? 0];
  const entry = isOfKeysOnly ? toTick : (lastAtOrBefore(keyTicks, toTick) ?? fromTick);
  return width * height * countBetween(isOfKeysOnly ? keyTicks : stamps, fromTick, entry);
}

/** Seek position from which ffmpeg begins at the key frame that a picture needs. */
function entryOf({ stamps = [], keyTicks, timeBase, heldBack }: PictureSource, number: number): number | undefined {
  const [first] = keyTicks;
  const key = lastAtOrBefore(keyTicks, stamps[number] ?? 0);
  if (key === undefined || key === first) return undefined;
  const next = keyTicks[placeAfter(keyTicks, key)] ?? Infinity;
  const seconds = (key + 0.5) * valueOf(timeBase);
  const isFarFromNext = (next - key) * valueOf(timeBase) > 2 * seekBackSeconds;
  return heldBack > 0 && isFarFromNext ? seconds + seekBackSeconds : seconds;
}

function placeAfter(ticks: readonly number[], tick: number): number {
  return firstIndex(ticks.length, (index) => (ticks[index] ?? Infinity) > tick);
}

function lastAtOrBefore(ticks: readonly number[], tick: number): number | undefined {
  return ticks[placeAfter(ticks, tick) - 1];
}

/** Ticks between the two, both exclusive. */
function countBetween(ticks: readonly number[], from: number, to: number): number {
  return Math.max(0, placeAfter(ticks, to - 1) - placeAfter(ticks, from));
}
