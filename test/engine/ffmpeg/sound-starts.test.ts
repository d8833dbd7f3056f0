import { expect, test } from 'vitest';
import { parseSoundStarts } from '../../../engine/ffmpeg/sound-starts.ts';

test('each stream starts with its first frame that has a time', () => {
  const lines = ['1,N/A', '2,0.007000,', '1,0.021333', '2,0.027', 'nonsense', ''].join('\n');
  expect(parseSoundStarts(lines)).toEqual(
    new Map([
      [2, 0.007],
      [1, 0.021333],
    ]),
  );
  expect(parseSoundStarts('')).toEqual(new Map());
});
