import { costOf, type Prices } from '../../contract/prices.ts';
import type { EstimateView } from '../../contract/server/estimate.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';

/** What a succeeded run used. */
export interface PastUse {
  /** Seconds of the source. */
  sourceSeconds: number;
  /** Seconds of the source that the outputs have. */
  mediaSeconds: number;
  /** Bytes of the source. */
  bytesIn: number;
  /** Seconds in a container. */
  seconds: number;
  cpuSeconds: number | undefined;
  /** Bytes of each output. */
  sizes: readonly number[];
}

export interface WantedUse extends Pick<PastUse, 'sourceSeconds' | 'mediaSeconds'> {
  /** Bytes of the source; undefined if unknown. */
  bytes: number | undefined;
}

/** Further runs are less like the wanted one, and may be from an earlier machine. */
const mostUsed = 9;

/** Runs must differ by this factor in length to show how time depends on length. */
const leastFactor = 1.5;

/** Runs whose lengths differ by this factor show how time depends on any length. */
const wideFactor = 4;

/** Longest extrapolation from other runs, as a multiple of the longest. */
const mostBeyond = 2;

/** Estimates a run from past runs of the same kind, newest first (pure). */
export function estimateRun(wanted: WantedUse, past: readonly PastUse[], prices: Prices): EstimateView {
  const like = past.toSorted((a, b) => distance(wanted, a) - distance(wanted, b)).slice(0, mostUsed);
  const [first] = like;
  const { mediaSeconds, bytes } = wanted;
  // Nothing is known about an output that begins after the end of the source.
  if (first === undefined || mediaSeconds <= 0) return { runs: 0 };
  const expected = (amountOf: (run: PastUse) => number): number => {
    const points = like
      .map((run) => ({ at: run.mediaSeconds, amount: amountOf(run) }))
      .filter(({ amount }) => amount > 0);
    return points.length === 0 ? 0 : amountAt(mediaSeconds, points);
  };
  const isMeasured = like.every(({ cpuSeconds }) => cpuSeconds !== undefined);
  const cpuSeconds = isMeasured ? roundToMilliseconds(expected((run) => run.cpuSeconds ?? 0)) : undefined;
  const sizes = first.sizes.map((_, index) => Math.round(expected((run) => run.sizes[index] ?? 0)));
  const bytesOut = sizes.reduce((sum, size) => sum + size, 0);
  // A price of bytes read needs the size of the source.
  const isPriced = bytes !== undefined || prices.perGbIn === undefined;
  const cost = isPriced
    ? costOf({ ...(cpuSeconds !== undefined && { cpuSeconds }), bytesIn: bytes ?? 0, bytesOut }, prices)
    : undefined;
  return {
    runs: like.length,
    seconds: roundToMilliseconds(expected(({ seconds }) => seconds)),
    ...(cpuSeconds !== undefined && { cpuSeconds }),
    sizes,
    ...(cost !== undefined && { cost, currency: prices.currency }),
  };
}

/** The line covers differences in length, so a difference in bytes per second weighs more. */
const detailWeight = 2;

/** Difference in length and, as far as known, in bytes per second. Detailed pictures take more bytes and time. */
function distance({ mediaSeconds, bytes, sourceSeconds }: WantedUse, run: PastUse): number {
  const inLength = factor(mediaSeconds, run.mediaSeconds);
  if (bytes === undefined) return inLength;
  return inLength + detailWeight * factor(bytes / sourceSeconds, run.bytesIn / run.sourceSeconds);
}

/** 0 for equal values, else the logarithm of their quotient. */
function factor(one: number, other: number): number {
  return Math.abs(Math.log(one / other));
}

interface Point {
  at: number;
  amount: number;
}

/** Amount at a length, by the line through the points. */
function amountAt(length: number, points: readonly Point[]): number {
  const lengths = points.map(({ at }) => at);
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  const { fixed, perSecond } = lineOf(points, longest / shortest);
  // Far beyond the runs, the line would magnify small differences between them.
  const reach = longest / shortest >= wideFactor ? Infinity : mostBeyond * longest;
  const at = Math.min(length, perSecond > 0 ? reach : longest);
  return ((fixed + perSecond * at) * length) / at;
}

interface Line {
  /** Part of every run, such as the start of ffmpeg. */
  fixed: number;
  /** Part for each second of media. */
  perSecond: number;
}

/** The line with the least squares of relative errors. Neither part is negative. A slow run hardly moves the line. */
function lineOf(points: readonly Point[], range: number): Line {
  // Each point gives the equation: fixed · x + perSecond · y = 1.
  const weighed = points.map(({ at, amount }) => ({ x: 1 / amount, y: at / amount }));
  const sumOf = (term: (point: { x: number; y: number }) => number): number =>
    weighed.reduce((sum, point) => sum + term(point), 0);
  const [x, y, xx, xy, yy] = [
    sumOf((point) => point.x),
    sumOf((point) => point.y),
    sumOf((point) => point.x ** 2),
    sumOf((point) => point.x * point.y),
    sumOf((point) => point.y ** 2),
  ];
  const proportional = { fixed: 0, perSecond: y / yy };
  // Runs of one length do not show the fixed part.
  if (range < leastFactor) return proportional;
  const determinant = xx * yy - xy ** 2;
  const [fixed, perSecond] = [(x * yy - y * xy) / determinant, (y * xx - x * xy) / determinant];
  if (fixed < 0) return proportional;
  return perSecond < 0 ? { fixed: x / xx, perSecond: 0 } : { fixed, perSecond };
}
