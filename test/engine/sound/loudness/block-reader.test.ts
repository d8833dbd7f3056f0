import { expect, test } from 'vitest';
import { createBlockReader } from '../../../../engine/sound/loudness/block-reader.ts';

const text = [
  'frame:3    pts:14400   pts_time:0.3',
  'lavfi.r128.M=-31.068',
  'lavfi.r128.S=-120.691',
  'lavfi.r128.I=-31.070',
  'frame:4    pts:19200   pts_time:0.4',
  'lavfi.r128.M=-31.067',
  'lavfi.r128.S=-29.5',
  '',
].join('\n');

test.each([1, 7, 64, 10_000])('blocks are read from pieces of %i characters', (size) => {
  const { read, readings } = createBlockReader();
  for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size));
  expect(readings).toEqual({ momentary: [-31.068, -31.067], shortTerm: [-120.691, -29.5] });
});
