import { expect, test } from 'vitest';
import { matchedVolume } from '../../../page/words/matched-volume.ts';

test.each([
  [
    [-16, -16],
    [1, 1],
  ],
  [
    [-10, -16],
    [0.501, 1],
  ],
  [
    [-36, -16],
    [1, 0.1],
  ],
  // Without a measurement, volumes stay unchanged.
  [
    [-10, undefined],
    [1, 1],
  ],
  [
    [null, -16],
    [1, 1],
  ],
])('plays versions of %j LUFS at the volumes %j', (loudness, volumes) => {
  expect(loudness.map((_, index) => Math.round(matchedVolume(loudness, index) * 1000) / 1000)).toEqual(volumes);
});
