import { expect, test } from 'vitest';
import { Track } from '../../../contract/http/audio.ts';

const sentence = 'must be a number from 0, a language such as en or deu, or "default"';

test.each([
  ['english', sentence],
  ['', sentence],
  [-1, sentence],
  [1.5, sentence],
  [null, sentence],
  [300, 'must be 255 at most'],
])('a track of %j is refused by one sentence in plain words', (track, message) => {
  expect(Track.safeParse(track).error?.issues.map((issue) => issue.message)).toEqual([message]);
});
