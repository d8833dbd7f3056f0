import { expect, test } from 'vitest';
import { resolveOutput } from '../../../../contract/resolve-output.ts';
import { builtInPresets } from '../../../../contract/presets.ts';
import type { PictureSource } from '../../../../engine/source/pictures/picture-source.ts';
import { planFilmImage } from '../../../../engine/products/image/film-image-plan.ts';
import { planImage } from '../../../../engine/products/image/plan-product.ts';
import { isOfKeysOnly } from '../../../../engine/products/image/tile-plan.ts';

/** Ten seconds at 25 per second, in milliseconds, with key frames at these ticks. */
function film(keyTicks: number[], changes: Partial<PictureSource> = {}): PictureSource {
  const stamps = Array.from({ length: 250 }, (_, number) => number * 40);
  return {
    ...{ coded: { width: 320, height: 180 }, timeBase: { num: 1, den: 1000 } },
    ...{ stamps, frames: stamps.length, startTicks: 0, endTicks: 10_000, filmStart: 0, keyTicks },
    constantRate: { num: 25, den: 1 },
    ...changes,
  } as PictureSource;
}

test('tiles are made from key frames that are no farther apart than tiles', () => {
  const even = film([0, 2000, 4000, 6000, 8000]);
  expect(isOfKeysOnly(even, 2000)).toBe(true);
  expect(isOfKeysOnly(even, 1000)).toBe(false);
});

test('a film whose edit list hides its first key frame is decoded whole', () => {
  expect(isOfKeysOnly(film([8000]), 2500)).toBe(false);
  expect(isOfKeysOnly(film([400, 2400, 4400, 6400, 8400]), 2500)).toBe(false);
});

test('a film that is too large to decode is shown by its key frames', () => {
  expect(isOfKeysOnly(film([8000], { coded: { width: 8000, height: 8000 } }), 2500)).toBe(true);
});

test.each([
  [120.52, 1206],
  [123.44, 1235],
  [107.3, 1073],
  [150, 1500],
])('a storyboard of %s s has a hundred tiles, and no second sheet', (seconds, intervalMs) => {
  const output = resolveOutput({ image: 'storyboard' }, builtInPresets);
  if (output.kind !== 'image') throw new Error('No storyboard');
  const plan = planFilmImage(
    output.image,
    output,
    film([0], { endTicks: seconds * 1000, pixelAspect: { num: 1, den: 1 } }),
  );
  expect(plan).toMatchObject({ intervalMs, tiles: 100 });
});

/** Plans a storyboard of a hundred tiles. */
function planStoryboard(sides: object, coded: { width: number; height: number }, memoryLimitBytes = Infinity) {
  const output = resolveOutput({ image: 'storyboard', interval: 0.1, ...sides }, builtInPresets);
  if (output.kind !== 'image') throw new Error('No storyboard');
  const pixelAspect = { num: 1, den: 1 };
  return planImage(output, film([0], { coded, pixelAspect }), { memoryLimitBytes }, '/x').plan.shape.size;
}

test('a sheet of tiles has at most 16,383 pixels on a side, the limit of WebP', () => {
  const wide = { width: 5120, height: 1440 };
  expect(() => planStoryboard({ height: 480 }, wide)).toThrow('its sheet would have 17060x4800 pixels');
  expect(planStoryboard({ height: 460 }, wide)).toEqual({ width: 1636, height: 460 });
  expect(() => planStoryboard({}, { width: 200, height: 2200 })).toThrow('its sheet would have 1600x17600 pixels');
});

test('a storyboard is admitted by the memory of its whole sheet', () => {
  const [large, mebibyte] = [{ width: 480, height: 270 }, 1024 ** 2];
  const webp = { width: 480, imageFormat: 'webp' };
  expect(planStoryboard(webp, large, 500 * mebibyte)).toEqual(large);
  expect(() => planStoryboard(webp, large, 400 * mebibyte)).toThrow('of memory together');
  expect(planStoryboard({ width: 480 }, large, 400 * mebibyte)).toEqual(large);
  expect(() => planStoryboard({ width: 480 }, large, 300 * mebibyte)).toThrow('of memory together');
});
