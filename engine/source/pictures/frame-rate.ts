import { type Rational, rationalOfFps, valueOf } from '../../ffmpeg/rational.ts';

/** A picture of a constant rate is where it is to be, or one tick of its clock beside: Matroska's ticks are milliseconds. */
const toleranceTicks = 1;

/** In AVI a tick is a whole picture, and one that is missing must be seen. */
const toleranceFrames = 0.25;

/**
 * Whether time stamps (ticks of `timeBase`, rising) are those of a constant rate, and of which (pure). What the file says of its
 * rate is tried first where it is a rate that films have; the figures of some are estimates, so those near what the stamps measure come next.
 */
export function findConstantRate(
  stamps: readonly number[],
  timeBase: Rational,
  claimed: readonly Rational[],
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
    const tolerance = Math.min(toleranceTicks, toleranceFrames * ticks);
    return stamps.every((stamp, index) => Math.abs(stamp - first - index * ticks) <= tolerance);
  });
}

/** Whether each time stamp is one of those that pictures of a rate have, some of which may be missing (pure). */
export function liesOnGrid(stamps: readonly number[], timeBase: Rational, rate: Rational): boolean {
  const [first = 0] = stamps;
  const ticks = 1 / (valueOf(rate) * valueOf(timeBase));
  const tolerance = Math.min(toleranceTicks, toleranceFrames * ticks);
  return stamps.every((stamp) => Math.abs(stamp - first - Math.round((stamp - first) / ticks) * ticks) <= tolerance);
}
