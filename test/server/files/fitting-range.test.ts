import { expect, test } from 'vitest';
import { fittingRange } from '../../../server/files/fitting-range.ts';

test.each([
  ['bytes=-5', 10, 'bytes=-5'],
  ['bytes=-10', 10, 'bytes=-10'],
  ['bytes=-11', 10, 'bytes=0-'],
  ['bytes=-99999999999999999999', 10, 'bytes=0-'],
  ['bytes=0-1, -11', 10, 'bytes=0-1, 0-'],
  ['bytes=2-11', 10, 'bytes=2-11'],
  ['bytes=-0', 10, 'bytes=-0'],
  // An empty file has no last byte.
  ['bytes=-5', 0, 'bytes=-5'],
  ['nonsense', 10, 'nonsense'],
])('reads the range %s of a file of %i bytes as %s', (range, bytes, expected) => {
  expect(fittingRange(range, bytes)).toBe(expected);
});
