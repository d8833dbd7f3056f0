import { expect, test } from 'vitest';
import { admitMemory, rawBytesPerPixel } from '../../../../container/encode/video/memory.ts';

test('what needs more memory than there is says how much, and what can be done', () => {
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
