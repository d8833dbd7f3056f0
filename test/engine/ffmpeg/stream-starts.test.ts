import { expect, test } from 'vitest';
import { parseStarts } from '../../../engine/ffmpeg/stream-starts.ts';

test('takes the earliest of the first packets of each stream, by decoding time where no other is stated', () => {
  const lines = ['0,0.080000,0.000000', '1,N/A,16.95', '0,0.040000,0.040000', '1,17.0,17.0', '2,N/A,N/A', ''].join(
    '\n',
  );
  expect(parseStarts(lines)).toEqual(
    new Map([
      [0, 0.04],
      [1, 16.95],
    ]),
  );
});
