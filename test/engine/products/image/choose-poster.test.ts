import { expect, test } from 'vitest';
import { choosePoster } from '../../../../engine/products/image/choose-poster.ts';
import { measurePicture, type PictureMeasures } from '../../../../engine/products/image/measure-picture.ts';

const [width, height] = [64, 48];

function picture(lightness: (x: number, y: number) => number): PictureMeasures {
  const pixels = Uint8Array.from({ length: width * height }, (_, at) => lightness(at % width, Math.floor(at / width)));
  return measurePicture(pixels, width);
}

const squares = (x: number, y: number): number => (((x >> 2) + (y >> 2)) % 2 === 0 ? 60 : 200);
const sharp = picture(squares);

test('a picture is measured by its luma', () => {
  expect(picture(() => 5)).toMatchObject({ dark: 1, contrast: 0, sharpness: 0 });
  expect(sharp).toMatchObject({ dark: 0, contrast: 140 });
  expect(sharp.histogram).toHaveLength(32);
  expect(sharp.histogram.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  // Halving the luma halves the visible differences.
  expect(picture((x, y) => squares(x, y) / 2).sharpness).toBeCloseTo(sharp.sharpness / 2);
});

test.each<[string, PictureMeasures]>([
  ['black', picture(() => 0)],
  ['blank', picture(() => 230)],
  ['white letters on black', picture((x, y) => (y === 20 && x % 3 === 0 ? 255 : 0))],
  ['half faded', picture((x, y) => squares(x, y) / 2)],
  ['blurred', picture((x) => 130 + 70 * Math.sin(x / 4))],
])('a picture that is %s is not chosen as the poster if there is a sharp one', (_, other) => {
  expect(choosePoster([other, other, sharp, other])).toBe(sharp);
});

test('the first picture that resembles most others is chosen among equally good ones', () => {
  const like = picture((x, y) => squares(x + 4, y));
  const unlike = picture((x, y) => (squares(x, y) === 60 ? 20 : 160));
  expect(choosePoster([unlike, like, sharp, sharp])).toBe(like);
});

test('the sharpest picture is chosen if all are dark, and none if there are no pictures', () => {
  const [black, night] = [picture(() => 0), picture((x) => (x % 32 === 0 ? 90 : 3))];
  expect(choosePoster([black, night, black])).toBe(night);
  expect(choosePoster([])).toBeUndefined();
});
