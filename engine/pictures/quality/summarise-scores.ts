import type { PictureScores } from '../../../contract/http/quality.ts';

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** When the pictures of an output are shown, in seconds of the output. */
export interface ScoredSpan {
  /** Rising display times. */
  times: readonly number[];
  endSeconds: number;
  /** Times of the seams of a spread film. */
  seams?: readonly number[] | undefined;
}

interface WorstSecond {
  value: number;
  at: number;
}

/** Mean and start of the worst second among those whose start `isCounted`; undefined if there is none. */
function findWorstSecond(
  scores: Float32Array,
  { times, endSeconds }: ScoredSpan,
  isCounted: (at: number) => boolean = () => true,
): WorstSecond | undefined {
  let worst: WorstSecond | undefined;
  let sum = 0;
  let to = 0;
  for (const [from, at] of times.entries()) {
    // The last second must be complete, unless the film is shorter.
    if (from > 0 && at + 1 > endSeconds + 1e-6) break;
    while (to < scores.length && (times[to] ?? Infinity) < at + 1 - 1e-6) {
      sum += scores[to] ?? 0;
      to += 1;
    }
    const value = sum / Math.max(1, to - from);
    if (isCounted(at) && (worst === undefined || value < worst.value)) worst = { value, at };
    sum -= scores[from] ?? 0;
  }
  return worst;
}

/** Summarises one score over all pictures. */
export function summariseScores(scores: Float32Array, span: ScoredSpan, decimals: number): PictureScores {
  const sorted = scores.toSorted();
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const { seams } = span;
  const roundedSecond = (worst: WorstSecond | undefined) =>
    worst && { value: rounded(worst.value, decimals), at: rounded(worst.at, 3) };
  // A second is near a seam if it contains the seam, or begins or ends at it.
  const isNear = (at: number): boolean => seams?.some((seam) => at >= seam - 1 - 1e-6 && at <= seam + 1e-6) === true;
  const near = seams && roundedSecond(findWorstSecond(scores, span, isNear));
  const elsewhere = seams && roundedSecond(findWorstSecond(scores, span, (at) => !isNear(at)));
  return {
    mean: rounded(mean, decimals),
    percentile1: rounded(sorted[Math.ceil(scores.length / 100) - 1] ?? 0, decimals),
    worstSecond: roundedSecond(findWorstSecond(scores, span)) ?? { value: 0, at: 0 },
    ...(near && { worstSecondNearSeams: near }),
    ...(elsewhere && { worstSecondElsewhere: elsewhere }),
  };
}
