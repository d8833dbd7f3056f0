import { greatestCommonDivisor, type Rational, rationalOfFps, valueOf } from '../../ffmpeg/rational.ts';

/** Frames per second. Slow motion of phones has 240. */
export const maxFps = 240;

/** A picture of a constant rate is at most one tick off. Matroska's ticks are milliseconds. */
const toleranceTicks = 1;

/** In AVI a tick is a whole picture, and a missing one must be noticed. */
const toleranceFrames = 0.25;

/**
 * Finds the constant rate of rising timestamps in ticks of `timeBase`; undefined if the rate varies. The file's
 * declared rate is tried first if it is a common film rate. Because some declared rates are estimates, common rates
 * near the measured one come next. `isEstimated`: the file omits some timestamps. ffmpeg adds up rounded durations in
 * their place, which are several ticks off.
 */
export function findConstantRate(
  stamps: readonly number[],
  timeBase: Rational,
  claimed: readonly Rational[],
  isEstimated = false,
): Rational | undefined {
  const [first = 0] = stamps;
  const last = stamps.at(-1) ?? first;
  const candidates = claimed.filter(({ den }) => den === 1 || den === 1001);
  if (stamps.length > 1 && last > first) {
    const measured = (stamps.length - 1) / ((last - first) * valueOf(timeBase));
    const ntsc = Math.max(1, Math.round(measured * 1.001));
    candidates.push(rationalOfFps(Math.max(1, Math.round(measured))), { num: ntsc * 1000, den: 1001 });
  }
  candidates.push(...claimed);
  return candidates.find((rate) => {
    const ticks = 1 / (valueOf(rate) * valueOf(timeBase));
    const tolerance = Math.min(isEstimated ? Infinity : toleranceTicks, toleranceFrames * ticks);
    return stamps.every((stamp, index) => Math.abs(stamp - first - index * ticks) <= tolerance);
  });
}

/** True if each timestamp is on the grid of a rate, possibly with gaps. `isEstimated`: as for `findConstantRate`. */
export function liesOnGrid(
  stamps: readonly number[],
  timeBase: Rational,
  rate: Rational,
  isEstimated = false,
): boolean {
  const [first = 0] = stamps;
  const ticks = 1 / (valueOf(rate) * valueOf(timeBase));
  const tolerance = Math.min(isEstimated ? Infinity : toleranceTicks, toleranceFrames * ticks);
  return stamps.every((stamp) => Math.abs(stamp - first - Math.round((stamp - first) / ticks) * ticks) <= tolerance);
}

/** Constant rate of timestamps of which ffmpeg estimated some; pictures may be missing. */
export function findEstimatedRate(
  stamps: readonly number[],
  timeBase: Rational,
  claimed: readonly Rational[],
): Rational | undefined {
  const rate = findConstantRate(stamps, timeBase, claimed, true);
  return rate ?? claimed.find((candidate) => liesOnGrid(stamps, timeBase, candidate, true));
}

/** Lowest rate on whose grid all timestamps are, which are whole ticks; undefined if it is above `maxFps`. */
export function findGridRate(stamps: readonly number[], timeBase: Rational): Rational | undefined {
  const [first = 0] = stamps;
  const step = stamps.reduce((divisor, stamp) => greatestCommonDivisor(stamp - first, divisor), 0);
  const [num, den] = [timeBase.den, timeBase.num * step];
  const shared = greatestCommonDivisor(num, den);
  const rate = { num: num / shared, den: den / shared };
  return step > 0 && valueOf(rate) <= maxFps ? rate : undefined;
}

/** Rate for unreliable timestamps: the declared one, else the average. */
export function nominalRate(
  { claimedRates, timeBase }: { claimedRates: readonly Rational[]; timeBase: Rational },
  times: readonly number[],
): Rational {
  const [claimed] = claimedRates;
  if (claimed !== undefined) return claimed;
  const span = ((times.at(-1) ?? 0) - (times[0] ?? 0)) * valueOf(timeBase);
  const average = span > 0 ? (times.length - 1) / span : 25;
  return { num: Math.max(1, Math.round(Math.min(maxFps, average))), den: 1 };
}
