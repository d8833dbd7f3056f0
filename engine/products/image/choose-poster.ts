import type { PictureMeasures } from './measure-picture.ts';

/** A darker picture is a night scene or white text on black, and no poster. */
const mostDark = 0.85;

/** Luma steps between the dark and light parts; fog, blank walls and most fades have fewer. */
const leastContrast = 32;

/**
 * Share of the sharpest picture. Measured at 640 pixels: half of a fade has half the sharpness, a dissolve at most
 * 0.71, an out-of-focus scene less than 0.5.
 */
const leastSharpness = 0.75;

/**
 * Chooses the most representative picture (pure). Black, blank, blurred and fading pictures are excluded; of the
 * others, the histogram nearest to the average wins, as in ffmpeg's filter `thumbnail`, and the first of equals. If all
 * are dark or blank, the sharpest wins.
 */
export function choosePoster<Candidate extends PictureMeasures>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  const clear = candidates.filter(({ dark, contrast }) => dark <= mostDark && contrast >= leastContrast);
  if (clear.length === 0) return firstLeast(candidates, ({ sharpness }) => -sharpness);
  const sharpest = Math.max(...clear.map(({ sharpness }) => sharpness));
  const sharp = clear.filter(({ sharpness }) => sharpness >= leastSharpness * sharpest);
  const [first] = sharp;
  const mean =
    first?.histogram.map((_, step) => sharp.reduce((sum, one) => sum + at(one, step), 0) / sharp.length) ?? [];
  return firstLeast(sharp, (one) => mean.reduce((sum, share, step) => sum + (at(one, step) - share) ** 2, 0));
}

const at = ({ histogram }: PictureMeasures, step: number): number => histogram[step] ?? 0;

function firstLeast<Item>(items: readonly Item[], measure: (item: Item) => number): Item | undefined {
  let best: { item: Item; value: number } | undefined;
  for (const item of items) {
    const value = measure(item);
    if (best === undefined || value < best.value - 1e-9) best = { item, value };
  }
  return best?.item;
}
