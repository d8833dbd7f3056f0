import { firstIndex } from '../../first-index.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { pictureSeconds } from '../../source/pictures/picture-source.ts';
import { valueOf } from '../../ffmpeg/rational.ts';

/** Smaller than any distance between pictures, larger than rounding errors. */
const roundingSeconds = 1e-6;

/** Seconds from the start of the film to its first picture, if the film starts with sound. */
function firstPictureSeconds({ startTicks, timeBase, filmStart }: PictureSource): number {
  return startTicks * valueOf(timeBase) - filmStart;
}

/** Seconds from the beginning of the film to its end (pure). */
export function filmSeconds(film: PictureSource): number {
  return firstPictureSeconds(film) + pictureSeconds(film);
}

/**
 * Display time of a picture, in seconds from the start of the film (pure). Pictures are numbered from 0 in display
 * order. At a constant rate the number is exact; Matroska's clock rounds to milliseconds.
 */
export function secondsOfPicture(film: PictureSource, number: number): number {
  const { constantRate, stamps = [], startTicks, timeBase } = film;
  const sinceFirst =
    constantRate === undefined
      ? ((stamps[number] ?? startTicks) - startTicks) * valueOf(timeBase)
      : number / valueOf(constantRate);
  return firstPictureSeconds(film) + sinceFirst;
}

/** Time from which an encode of the film shows a picture, in seconds: the first picture is shown from its start (pure). */
export function shownFrom(film: PictureSource, number: number): number {
  return number === 0 ? 0 : secondsOfPicture(film, number);
}

/**
 * Number of the film's pictures (pure). Without timestamps they are those of its grid, on which the place of a missing
 * picture has the one before.
 */
export function pictureCount(film: PictureSource): number {
  const { stamps, constantRate, frames } = film;
  if (stamps !== undefined || constantRate === undefined) return frames;
  return Math.max(1, Math.round(pictureSeconds(film) * valueOf(constantRate)));
}

/** Number of the picture shown at a time; the first one for earlier times (pure). */
export function pictureShownAt(film: PictureSource, seconds: number): number {
  return firstIndex(pictureCount(film) - 1, (index) => secondsOfPicture(film, index + 1) > seconds + roundingSeconds);
}

/** Numbers of key frames; empty if the file has no timestamps for its pictures (pure). */
export function keyPictures({ keyTicks, stamps = [] }: PictureSource): number[] {
  const keys = new Set(keyTicks);
  return stamps.flatMap((stamp, number) => (keys.has(stamp) ? [number] : []));
}

/** `count` items from first to last, as evenly spaced as possible; all of them if there are no more (pure). */
export function spreadOver<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, place) => items[Math.floor(((place + 0.5) * items.length) / count)] as Item);
}
