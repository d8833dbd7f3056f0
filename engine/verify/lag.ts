/** Hz; places a sound to a sixteenth of a millisecond. */
export const lagRate = 16_000;

/** Place of a part of the source in an output. */
export interface Lag {
  /** Seconds by which the sound is late. */
  seconds: number;
  /** True if the part resembles the output where it was found, and not where it should be. */
  isElsewhere: boolean;
}

/** Seconds that rounded timestamps of source and output explain. */
const toleranceSeconds = 0.003;

/** Seconds that neither a recorder with unsteady timestamps nor the delay of an encoder (MP2: 481 samples) explains. */
const mostSecondsOff = 0.016;

/** Least likeness of the same sound after encoding; 1 for the same samples, 0 for a different sound. */
const leastLikeness = 0.9;

/** Largest share of that likeness at the place where the sound should be: a periodic sound resembles itself there. */
const mostLikenessBeside = 0.7;

/** Mean square below which a part is as good as silent. */
const silence = 1e-6;

/** Likeness of a part, which has this sum of squares, to the samples from `from` on. */
function likenessAt(part: Float32Array, power: number, around: Float32Array, from: number): number {
  let product = 0;
  let other = 0;
  for (let index = 0; index < part.length; index += 1) {
    const value = around[from + index] ?? 0;
    product += (part[index] ?? 0) * value;
    other += value * value;
  }
  return product / Math.sqrt(Math.max(Number.MIN_VALUE, power * other));
}

/** Finds a part of the source, which should be in the middle. Undefined if it is silent or not there. */
export function findLag(part: Float32Array, around: Float32Array): Lag | undefined {
  const power = part.reduce((sum, value) => sum + value * value, 0);
  if (power / part.length < silence) return undefined;
  const middle = Math.floor((around.length - part.length) / 2);
  const tolerance = toleranceSeconds * lagRate;
  let [best, likeness, likenessHere] = [0, -1, -1];
  for (let from = 0; from <= around.length - part.length; from += 1) {
    const each = likenessAt(part, power, around, from);
    if (Math.abs(from - middle) <= tolerance) likenessHere = Math.max(likenessHere, each);
    if (each > likeness) [best, likeness] = [from, each];
  }
  if (likeness < leastLikeness) return undefined;
  return { seconds: (best - middle) / lagRate, isElsewhere: likenessHere < likeness * mostLikenessBeside };
}

/**
 * Judges the points of an output, as the rest of a sentence. One point proves nothing, because a damaged source may
 * state a wrong time.
 */
export function findLagProblem(lags: readonly Lag[]): string | undefined {
  const wrong = lags.filter(({ seconds, isElsewhere }) => isElsewhere && Math.abs(seconds) > mostSecondsOff);
  if (wrong.length < 2) return undefined;
  const worst = Math.max(...wrong.map(({ seconds }) => Math.abs(seconds)));
  return `its sound is up to ${Math.round(worst * 1000)} ms off its time, at ${wrong.length} of ${lags.length} points`;
}
