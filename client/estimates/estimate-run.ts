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

/** More runs would be less like the wanted one, and would outlive a change of machine. */
const mostUsed = 7;

/** Runs must differ by this factor in length to show how time depends on length. */
const leastFactor = 1.5;

/** Longest extrapolation, as a multiple of the longest run. */
const mostBeyond = 2;

/** Estimates a run from past runs of the same kind, newest first (pure). */
export function estimateRun(wanted: WantedUse, past: readonly PastUse[], prices: Prices): EstimateView {
  const like = past.toSorted((a, b) => distance(wanted, a) - distance(wanted, b)).slice(0, mostUsed);
  const [first] = like;
  if (first === undefined) return { runs: 0 };
  const { mediaSeconds, bytes } = wanted;
  const expected = (amountOf: (run: PastUse) => number): number =>
    amountAt(
      mediaSeconds,
      like.map((run) => ({ at: run.mediaSeconds, amount: amountOf(run) })),
    );
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

/** Difference in length and, as far as known, in bytes per second. Detailed pictures take more bytes and time. */
function distance({ mediaSeconds, bytes, sourceSeconds }: WantedUse, run: PastUse): number {
  const inLength = factor(mediaSeconds, run.mediaSeconds);
  return bytes === undefined ? inLength : inLength + factor(bytes / sourceSeconds, run.bytesIn / run.sourceSeconds);
}

/** 0 for equal values, else the logarithm of their quotient. */
function factor(one: number, other: number): number {
  return Math.abs(Math.log(one / other));
}

interface Point {
  at: number;
  amount: number;
}

/**
 * Amount at a length. A run has a fixed part, such as the start of ffmpeg, and a part for each second of media: the
 * line by Theil and Sen, which outliers hardly move.
 */
function amountAt(length: number, points: readonly Point[]): number {
  const longest = Math.max(...points.map(({ at }) => at));
  // Far beyond all runs, the line would magnify small differences between them.
  if (length > mostBeyond * longest) return (amountAt(longest, points) * length) / longest;
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).flatMap((other) => {
      const isFar = factor(one.at, other.at) >= Math.log(leastFactor);
      return isFar ? [(other.amount - one.amount) / (other.at - one.at)] : [];
    }),
  );
  // Runs of one length do not show the fixed part.
  if (slopes.length === 0) return length * median(points.map(({ at, amount }) => amount / at));
  const perSecond = Math.max(0, median(slopes));
  const fixed = median(points.map(({ at, amount }) => amount - perSecond * at));
  // A negative part comes from other differences between the runs.
  return fixed < 0 ? length * median(points.map(({ at, amount }) => amount / at)) : fixed + perSecond * length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
