import type { PictureSource } from '../encode/video/picture-source.ts';
import { valueOf } from '../encode/video/rational.ts';

/** Pictures that one process decodes, entering the file at a key frame. */
export interface GrabRun {
  /** rising */
  numbers: number[];
  /** Seconds of the file's own clock; undefined: from its beginning. */
  entrySeconds: number | undefined;
  /** All of them are key frames: no other is decoded. */
  isOfKeysOnly: boolean;
}

/** A process takes as long to start (0.15 s) as to decode so many pixels of H.264, as measured on one core. */
const pixelsOfStart = 60_000_000;

/** The expression that selects them stays short. */
const mostInRun = 100;

/** How far before its target ffmpeg begins to look for a key frame where pictures are out of order: 3/23 s (libavformat's `dts_heuristic`). */
const seekBackSeconds = 0.135;

/**
 * Which pictures are decoded together (pure). Where many pixels lie between two of them, the second is reached by a process of
 * its own, that begins at the key frame before it: one picture of two hours takes no longer than one of a minute.
 */
export function planGrab(film: PictureSource, numbers: readonly number[], mostBytesOfRun = Infinity, bytes = 0): GrabRun[] {
  const { stamps, keyTicks, coded } = film;
  // Where the file does not say when pictures are shown, they can only be counted.
  if (stamps === undefined) return [{ numbers: [...numbers], entrySeconds: undefined, isOfKeysOnly: false }];
  const keySet = new Set(keyTicks);
  const isOfKeysOnly = numbers.every((number) => keySet.has(stamps[number] ?? NaN));
  const costPixels = coded.width * coded.height;
  const most = Math.min(mostInRun, Math.max(1, Math.floor(mostBytesOfRun / Math.max(1, bytes))));
  const runs: GrabRun[] = [];
  let last: number | undefined;
  for (const number of numbers) {
    const key = lastAtOrBefore(keyTicks, stamps[number] ?? 0);
    const run = runs.at(-1);
    const skipped =
      last === undefined
        ? Infinity
        : isOfKeysOnly
          ? countBetween(keyTicks, stamps[last] ?? 0, stamps[number] ?? 0)
          : key === undefined
            ? 0
            : countBetween(stamps, stamps[last] ?? 0, key);
    if (run !== undefined && skipped * costPixels <= pixelsOfStart && run.numbers.length < most) run.numbers.push(number);
    else runs.push({ numbers: [number], entrySeconds: entryOf(film, key), isOfKeysOnly });
    last = number;
  }
  return runs;
}

/** Where ffmpeg is to be sent so that it begins at this key frame and not at the one before. */
function entryOf({ keyTicks, timeBase, heldBack }: PictureSource, key: number | undefined): number | undefined {
  const [first] = keyTicks;
  if (key === undefined || key === first) return undefined;
  const next = keyTicks.find((tick) => tick > key) ?? Infinity;
  const seconds = (key + 0.5) * valueOf(timeBase);
  const isFarFromNext = (next - key) * valueOf(timeBase) > 2 * seekBackSeconds;
  return heldBack > 0 && isFarFromNext ? seconds + seekBackSeconds : seconds;
}

function placeAfter(ticks: readonly number[], tick: number): number {
  let [low, high] = [0, ticks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle] ?? Infinity) <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lastAtOrBefore(ticks: readonly number[], tick: number): number | undefined {
  return ticks[placeAfter(ticks, tick) - 1];
}

/** How many come after the one and before the other. */
function countBetween(ticks: readonly number[], from: number, to: number): number {
  return Math.max(0, placeAfter(ticks, to - 1) - placeAfter(ticks, from));
}
