import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/** Share of a picture, or of a tick, that is a rounding error. */
const rounding = 1e-6;

/**
 * Start of all outputs of a film, in seconds on the file's clock: the earliest of the first picture that can be decoded
 * and the first sound of any track. At a constant rate it precedes the first picture by whole pictures, so that every
 * picture stays on the grid and in sync with the sound. Otherwise it is a tick of the pictures' clock.
 */
export function findFilmStart({
  startTicks,
  timeBase,
  constantRate,
  soundStarts,
}: {
  startTicks: number;
  timeBase: Rational;
  constantRate: Rational | undefined;
  soundStarts: readonly number[];
}): number {
  const tick = valueOf(timeBase);
  const pictureStart = startTicks * tick;
  const start = Math.min(pictureStart, ...soundStarts);
  if (start === pictureStart) return pictureStart;
  if (constantRate === undefined) return Math.floor(start / tick + rounding) * tick;
  const rate = valueOf(constantRate);
  return pictureStart - Math.ceil((pictureStart - start) * rate - rounding) / rate;
}
