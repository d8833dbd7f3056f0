import { expect, test } from 'vitest';
import { chooseSlices } from '../../../engine/pictures/ffv1-slices.ts';

// ffmpeg 5.1 accepts each number, and archives every pixel.
test.each([
  ['1920x1080', 'yuv420p', 16],
  ['8x8', 'yuv420p', 16],
  ['165x90', 'yuv420p', 15],
  ['7x7', 'yuv420p', 9],
  ['6x6', 'yuv420p', 9],
  ['5x5', 'yuv420p', 4],
  ['3x3', 'yuv444p', 1],
  ['2x2', 'yuv420p', 1],
  ['353x2', 'yuv420p', 1],
  ['4x1000', 'yuv444p', 4],
  ['1x7', 'gray', undefined],
  ['3x1000', 'yuv444p', undefined],
  ['3x1000', 'yuv420p', undefined],
  ['1000x3', 'yuv420p', undefined],
  ['2x500', 'yuv420p', undefined],
  ['1x500', 'gray', undefined],
])('divides FFV1 pictures of %s in %s into %s slices', (size, pixelFormat, slices) => {
  const [width = 0, height = 0] = size.split('x').map(Number);
  expect(chooseSlices({ width, height }, pixelFormat)).toBe(slices);
});
