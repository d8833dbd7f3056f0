import { expect, test } from 'vitest';
import { admitMemory, estimateMemory, rawBytesPerPixel } from '../../../engine/pictures/memory.ts';
import type { PictureSource } from '../../../engine/source/pictures/picture-source.ts';
import type { VideoPlan } from '../../../engine/plan/video-plan.ts';

test('an encode that needs more memory than available is rejected with the amount and a remedy', () => {
  expect(() => admitMemory(1000 * 1024 ** 2, 1000 * 1024 ** 2)).not.toThrow();
  expect(() => admitMemory(1001 * 1024 ** 2, 1000 * 1024 ** 2)).toThrow(
    /need about 1001 MiB .* may use 1000 MiB\. Ask for fewer/,
  );
});

test.each([
  ['yuv420p', 1.5],
  ['yuv420p10le', 3],
  ['yuv422p', 2],
  ['yuv422p10le', 4],
  ['yuv444p', 3],
  ['yuv444p10le', 6],
  ['gray', 1],
  ['gray16le', 2],
  ['bgr0', 4],
  ['gbrp10le', 6],
])('a pixel of %s has %f bytes', (pixelFormat, bytes) => {
  expect(rawBytesPerPixel(pixelFormat)).toBe(bytes);
});

test('the canvas of burnt-in subtitles needs additional memory', () => {
  const size = { width: 1280, height: 720 };
  const plan = {
    settings: {},
    view: {},
    codec: 'h264',
    speed: 'fast',
    pixelFormat: 'yuv420p',
    shape: { size, scaled: size },
  };
  const drawnSubtitles = { kind: 'pictures', pictures: { canvas: { width: 1920, height: 1080 } } };
  const needed = (one: object): number =>
    estimateMemory([one as VideoPlan], { coded: size } as PictureSource, 1) / 1024 ** 2;
  // 68 MiB were measured.
  expect(needed({ ...plan, drawnSubtitles }) - needed(plan)).toBeCloseTo(79, 0);
});
