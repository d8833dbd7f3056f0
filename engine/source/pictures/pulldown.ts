import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/** Pictures per second of film, and fields per second of the television signal that carries it. */
const filmRate: Rational = { num: 24_000, den: 1001 };
const fieldsPerSecond = 60_000 / 1001;

/** Tolerance for a field. Matroska's clock rounds a timestamp to a millisecond. */
const toleranceSeconds = 0.0012;

/** Least share of alternating pictures. Cuts made after the transfer to television break the alternation. */
const leastAlternating = 0.9;

/** Largest drift from the film's grid over its whole length: half a picture. */
const mostDriftSeconds = 0.02;

/**
 * Rate of a film whose pictures are alternately flagged for two and three fields, from their display times. Undefined
 * if they are not.
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
