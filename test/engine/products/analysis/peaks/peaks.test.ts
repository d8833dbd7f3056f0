import { expect, test } from 'vitest';
import type { PeaksSettings } from '../../../../../contract/analysis-settings.ts';
import { peaksProblem } from '../../../../../engine/products/analysis/peaks/peaks.ts';

const peaks: PeaksSettings = { kind: 'peaks', zoom: 256, bits: 16, splitChannels: true, dataFormat: 'json' };
const threeHours = { channels: 2, sampleRate: 48_000, samples: 3 * 3600 * 48_000 };

test("three hours of two channels fit at audiowaveform's zoom, and a finer zoom is rejected with one that fits", () => {
  expect(peaksProblem(peaks, threeHours)).toBeUndefined();
  expect(peaksProblem({ ...peaks, zoom: 2 }, threeHours)).toBe(
    'its zoom of 2 makes 518400000 pairs of peaks of this source, and the limit is 4500000; use a zoom of at least 231',
  );
  expect(peaksProblem({ ...peaks, zoom: 231 }, threeHours)).toBeUndefined();
  expect(peaksProblem({ ...peaks, zoom: 230 }, threeHours)).toBeDefined();
});
