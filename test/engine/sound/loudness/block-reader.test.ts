import { expect, test } from 'vitest';
import { createBlockReader } from '../../../../engine/sound/loudness/block-reader.ts';

const text = [
  'frame:3    pts:14400   pts_time:0.3',
  'lavfi.r128.M=-31.068',
  'lavfi.r128.S=-120.691',
  'lavfi.r128.I=-31.070',
  'lavfi.r128.true_peaks_ch0=0.040',
  'lavfi.r128.true_peak=0.040',
  'frame:4    pts:19200   pts_time:0.4',
  'lavfi.r128.M=-31.067',
  'lavfi.r128.S=-29.5',
  'lavfi.r128.true_peak=0.051',
  '',
].join('\n');

test.each([1, 7, 64, 10_000])('blocks and the highest peak are read from pieces of %i characters', (size) => {
  const { read, readings } = createBlockReader();
  for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size));
  expect(readings).toEqual({ momentary: [-31.068, -31.067], shortTerm: [-120.691, -29.5], truePeak: 0.051 });
});

test('a meter that restarts midway forgets its peak, but the reader keeps it', () => {
  const { read, readings } = createBlockReader();
  read('lavfi.r128.true_peak=0.800\nlavfi.r128.true_peak=0.010\n');
  expect(readings.truePeak).toBe(0.8);
});
