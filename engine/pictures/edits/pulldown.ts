import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/** Pictures a second of a film, and fields of the television that it is shown on. */
const filmRate: Rational = { num: 24_000, den: 1001 };
const fieldsPerSecond = 60_000 / 1001;

/** Of a field; the clock of Matroska rounds a stamp to a millisecond. */
const toleranceSeconds = 0.0012;

/** Of pictures: where a film was cut after it was put on television, the order changes. */
const leastAlternating = 0.9;

/** Of the grid of the film, over its whole length: half of one of its pictures. */
const mostDriftSeconds = 0.02;

/**
 * The rate of a film whose file says of each picture that it is shown for two fields or for three, by turns (pure): by when they are shown.
 * Undefined: it is none.
 */
export function findPulldownRate(stamps: readonly number[], timeBase: Rational): Rational | undefined {
  const tick = valueOf(timeBase);
  const steps = stamps.slice(1).map((stamp, index) => (stamp - (stamps[index] ?? 0)) * tick);
  const fields = steps.map((step) => Math.round(step * fieldsPerSecond));
  const isOfFields = steps.every((step, index) => {
    const count = fields[index] ?? 0;
    return (count === 2 || count === 3) && Math.abs(step - count / fieldsPerSecond) < toleranceSeconds;
  });
  if (!isOfFields || steps.length < 4) return undefined;
  const alternating = fields.filter((count, index) => index > 0 && count !== fields[index - 1]).length;
  const length = ((stamps.at(-1) ?? 0) - (stamps[0] ?? 0)) * tick;
  const drift = Math.abs(length - steps.length / valueOf(filmRate));
  return alternating >= leastAlternating * (fields.length - 1) && drift < mostDriftSeconds ? filmRate : undefined;
}
