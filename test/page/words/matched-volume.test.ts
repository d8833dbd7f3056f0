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
  // What was not measured plays as it is.
  [
    [-10, undefined],
    [1, 1],
  ],
  [
    [null, -16],
    [1, 1],
  ],
])('of %j LUFS each plays at %j', (loudness, volumes) => {
  expect(loudness.map((_, index) => Math.round(matchedVolume(loudness, index) * 1000) / 1000)).toEqual(volumes);
});
