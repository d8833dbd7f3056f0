import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import { findPulldownRate } from './pulldown.ts';

/** Share of a picture, or of a tick, that is a rounding error. */
const rounding = 1e-6;

/**
 * Start of all outputs of a film, in seconds on the file's clock: the earliest of the first picture that can be decoded
 * and the first sound of any track. At a constant rate it precedes the first picture by whole pictures, so that every
 * picture stays on the grid and in sync with the sound. Otherwise it is a tick of the pictures' clock. A film with
 * pulldown, whose pictures last two and three fields in turn, may become one of a constant rate. Its start is near that
 * grid.
 */
export function findFilmStart({
  startTicks,
  timeBase,
  constantRate,
  stamps,
  soundStarts,
}: {
  startTicks: number;
  timeBase: Rational;
  constantRate: Rational | undefined;
  stamps: readonly number[] | undefined;
  soundStarts: readonly number[];
}): number {
  const tick = valueOf(timeBase);
  const pictureStart = startTicks * tick;
  const earliest = Math.min(pictureStart, ...soundStarts);
  if (earliest === pictureStart) return pictureStart;
  const rate = constantRate ?? (stamps && findPulldownRate(stamps, timeBase));
  const start = rate === undefined ? earliest : wholePicturesBefore(pictureStart, earliest, rate);
  return constantRate === undefined ? Math.floor(start / tick + rounding) * tick : start;
}

/** Last time at or before `earliest` that precedes the first picture by whole pictures. */
function wholePicturesBefore(pictureStart: number, earliest: number, rate: Rational): number {
  const pictures = Math.ceil((pictureStart - earliest) * valueOf(rate) - rounding);
  return pictureStart - pictures / valueOf(rate);
}
