import { expect, test } from 'vitest';
import { placeOfStill } from '../../../page/words/still-place.ts';

const film = { width: 1600, height: 900 };
const room = { width: 144, height: 96 };
const whole = { width: 144, height: 81, x: 0, y: 7.5 };
const upright = { width: 54, height: 96, x: 45, y: 0 };
const filling = { width: expect.closeTo(170.667, 2), height: 96, x: expect.closeTo(-13.333, 2), y: 0 };

test('a preset without a shape shows the whole film', () => {
  expect(placeOfStill({ width: 1920, height: 1920 }, film, room)).toEqual({ shape: whole, whole });
});

test('an upright preset that crops is filled by the film', () => {
  expect(placeOfStill({ width: 1080, height: 1920, fit: 'cover' }, film, room)).toEqual({
    shape: upright,
    fill: filling,
  });
});

test('an upright preset that blurs shows the whole film before a filling copy', () => {
  expect(placeOfStill({ width: 1080, height: 1920, fit: 'blur' }, film, room)).toEqual({
    shape: upright,
    fill: filling,
    whole: { width: 54, height: expect.closeTo(30.375), x: 45, y: expect.closeTo(32.8125) },
  });
});
