import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { pictureSeconds } from '../../source/pictures/picture-source.ts';
import { valueOf } from '../../ffmpeg/rational.ts';

/** Less than any two pictures are apart, and more than the rounding of figures. */
const roundingSeconds = 1e-6;

/**
 * Seconds from the beginning of the film to its first picture, where it begins with sound: in whole pictures, since sound often begins
 * some milliseconds earlier, by the delay of its encoder.
 */
function firstPictureSeconds(film: PictureSource): number {
  const { startTicks, timeBase, soundStarts, frames } = film;
  const first = startTicks * valueOf(timeBase);
  const lead = first - Math.min(first, ...soundStarts);
  const pictureDuration = pictureSeconds(film) / frames;
  return Math.floor(lead / pictureDuration + roundingSeconds) * pictureDuration;
}

/** Seconds from the beginning of the film to its end (pure). */
export function filmSeconds(film: PictureSource): number {
  return firstPictureSeconds(film) + pictureSeconds(film);
}

/**
 * When a picture is shown, in seconds from the beginning of the film (pure). Pictures are numbered from 0 in the order in which they
 * are shown. At a constant rate its number says it exactly; the clock of Matroska rounds to milliseconds.
 */
export function secondsOfPicture(film: PictureSource, number: number): number {
  const { constantRate, stamps = [], startTicks, timeBase } = film;
  const sinceFirst =
    constantRate === undefined
      ? ((stamps[number] ?? startTicks) - startTicks) * valueOf(timeBase)
      : number / valueOf(constantRate);
  return firstPictureSeconds(film) + sinceFirst;
}

/** The picture that is shown at a time, or the first where the time is before it (pure). */
export function pictureShownAt(film: PictureSource, seconds: number): number {
  let [low, high] = [0, film.frames - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (secondsOfPicture(film, middle) <= seconds + roundingSeconds) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Numbers of key frames; none where the file does not stamp its pictures (pure). */
export function keyPictures({ keyTicks, stamps = [] }: PictureSource): number[] {
  const keys = new Set(keyTicks);
  return stamps.flatMap((stamp, number) => (keys.has(stamp) ? [number] : []));
}

/** So many of them, from the first to the last at distances as even as can be; all, where there are no more (pure). */
export function spreadOver<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, place) => items[Math.floor(((place + 0.5) * items.length) / count)] as Item);
}
