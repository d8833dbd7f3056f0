import { expect, test } from 'vitest';
import { planShape } from '../../../../engine/pictures/edits/size.ts';
import type { PictureSource } from '../../../../engine/source/pictures/picture-source.ts';
import { pictureCount, pictureShownAt } from '../../../../engine/products/image/film-clock.ts';
import { grabGraph } from '../../../../engine/products/image/grab-filters.ts';
import { looks } from '../../../../engine/products/image/image-look.ts';

/** An AVI of ten seconds at 25 per second that has lost 21 pictures. A tick is a picture. */
const film = {
  ...{ index: 0, coded: { width: 320, height: 180 }, pixelAspect: { num: 1, den: 1 }, colour: {} },
  ...{ timeBase: { num: 1, den: 25 }, constantRate: { num: 25, den: 1 }, isStamped: false, heldBack: 2 },
  ...{ startTicks: 0, endTicks: 250, filmStart: 0, frames: 229, stamps: undefined, keyTicks: [0] },
} as unknown as PictureSource;

test('pictures without timestamps are counted on the grid of their film, where others are missing', () => {
  expect(pictureCount(film)).toBe(250);
  expect(pictureShownAt(film, 9.5)).toBe(237);
  const run = { numbers: [237], entrySeconds: undefined, isOfKeysOnly: false };
  const shape = planShape({ fit: 'contain' }, { width: 320, height: 180 });
  expect(grabGraph(film, run, shape, looks.png)).toMatch(
    /^\[0:0\]settb=1\/25,setpts=PTS-\(2\),fps=fps=25\/1:start_time=0:.*select=between\(n\\,237\\,237\)/,
  );
});
