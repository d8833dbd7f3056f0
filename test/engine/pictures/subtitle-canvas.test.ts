import { expect, test } from 'vitest';
import { placeCanvas } from '../../../engine/pictures/subtitle-canvas.ts';

const square = { num: 1, den: 1 };

function place(canvas: string, film: string, output: string, filmAspect = square, pixelAspect = square): string {
  const sizeOf = (text: string): { width: number; height: number } => {
    const [width = 0, height = 0] = text.split('x').map(Number);
    return { width, height };
  };
  const size = sizeOf(output);
  const plan = { shape: { size, scaled: size }, pixelAspect };
  const { width, height, x, y } = placeCanvas(sizeOf(canvas), { coded: sizeOf(film), pixelAspect: filmAspect }, plan);
  return `${width}x${height} at ${x},${y}`;
}

test("the canvas of subtitles covers the film's picture at any output size", () => {
  expect(place('1920x1080', '1920x1080', '1280x720')).toBe('1280x720 at 0,0');
  expect(place('1920x1080', '1920x1080', '854x480')).toBe('854x480 at 0,0');
  // A DVD with non-square pixels, kept or converted.
  const wide = { num: 64, den: 45 };
  expect(place('720x576', '720x576', '1024x576', wide)).toBe('1024x576 at 0,0');
  expect(place('720x576', '720x576', '720x576', wide, wide)).toBe('720x576 at 0,0');
  // An HD broadcast with standard definition subtitles.
  expect(place('720x576', '1920x1080', '1920x1080')).toBe('1920x1080 at 0,0');
});

test('a canvas of another shape is shown completely, undistorted and centred', () => {
  expect(place('1920x1080', '1920x800', '1920x800')).toBe('1422x800 at 248,0');
  expect(place('1920x1080', '1920x1080', '1080x1920')).toBe('1080x608 at 0,656');
});
