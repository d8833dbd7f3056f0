import { expect, test } from 'vitest';
import { frameSizeOptions } from '../../../../engine/formats/flac/frame-size.ts';

test.each([
  [48_000, 8, 24, []],
  [96_000, 6, 24, ['-frame_size', '8192']],
  [192_000, 2, 24, []],
  [96_000, 8, 24, ['-frame_size', '4096']],
  [192_000, 8, 24, ['-frame_size', '4096']],
  [384_000, 2, 24, ['-frame_size', '16384']],
  [384_000, 8, 16, ['-frame_size', '8192']],
])('frames of %i Hz, %i channels and %i bits are small enough for readers', (sampleRate, channels, bits, options) => {
  expect(frameSizeOptions(sampleRate, channels, bits)).toEqual(options);
});
