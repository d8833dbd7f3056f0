import type { PictureMeasures } from './measure-picture.ts';

/** A picture that is as dark as this is one of night, or white letters on black: no poster. */
const mostDark = 0.85;

/** Steps of lightness between the dark and the light of a picture; fog, a blank wall and most of a fade have less. */
const leastContrast = 32;

/**
 * Of the sharpest picture. A fade that is half done has half its sharpness, two scenes that melt into each other at most 0.71, and
 * a scene out of focus less than 0.5: measured on pictures of 640 pixels.
 */
const leastSharpness = 0.75;

/**
 * The picture that shows best what a film is (pure): none that is black, blank, blurred or in the middle of a fade; of the rest the
 * one whose lightness is nearest to that of all of them, as ffmpeg's filter `thumbnail` chooses; of equal ones the first. Where all
 * are dark or blank, the sharpest.
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
