import { expect, test } from 'vitest';
import { scenesOf } from '../../../../engine/pictures/quality/find-scenes.ts';

test('divides pictures at their key frames', () => {
  expect(scenesOf([0, 75, 180], 300)).toEqual([
    { from: 0, to: 75 },
    { from: 75, to: 180 },
    { from: 180, to: 300 },
  ]);
});

test('joins the scenes of a long film, so that an encoder can take all of them', () => {
  const keys = Array.from({ length: 5000 }, (_, index) => index * 30);
  const scenes = scenesOf(keys, 150_000);
  expect(scenes.length).toBeLessThanOrEqual(2000);
  expect(scenes[0]).toEqual({ from: 0, to: 90 });
  expect(scenes.at(-1)?.to).toBe(150_000);
});
