import { expect, test } from 'vitest';
import { ResumeTries } from '../../../container/transfer/resume-tries.ts';

test.each([
  [
    [0, 0, 0, 0],
    [500, 2000, 5000, undefined],
  ],
  [
    [10, 10, 10, 10],
    [500, 2000, 5000, undefined],
  ],
  [
    [10, 20, 20, 30, 30],
    [500, 500, 2000, 500, 2000],
  ],
])('waits after tries with %j bytes for %j ms', (bytes, delays) => {
  const tries = new ResumeTries();
  expect(bytes.map((count) => tries.next(count))).toEqual(delays);
});

test('gives up on a server that sends one byte at a time', () => {
  const tries = new ResumeTries();
  const delays = Array.from({ length: 501 }, (_, count) => tries.next(count + 1));
  expect(delays.indexOf(undefined)).toBe(500);
});
