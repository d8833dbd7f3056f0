import type { PictureScores } from '../../../contract/http/quality.ts';

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** Mean and start of the worst second of pictures with these display times. */
function findWorstSecond(
  scores: Float32Array,
  times: readonly number[],
  endSeconds: number,
): { value: number; at: number } {
  const [start = 0] = times;
  let worst: { value: number; at: number } | undefined;
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
    if (worst === undefined || value < worst.value) worst = { value, at };
    sum -= scores[from] ?? 0;
  }
  return worst ?? { value: 0, at: start };
}

/** Summarises one score over all pictures. `times` are rising display times in seconds. */
export function summariseScores(
  scores: Float32Array,
  times: readonly number[],
  endSeconds: number,
  decimals: number,
): PictureScores {
  const sorted = scores.toSorted();
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const worst = findWorstSecond(scores, times, endSeconds);
  return {
    mean: rounded(mean, decimals),
    percentile1: rounded(sorted[Math.ceil(scores.length / 100) - 1] ?? 0, decimals),
    worstSecond: { value: rounded(worst.value, decimals), at: rounded(worst.at, 3) },
  };
}
