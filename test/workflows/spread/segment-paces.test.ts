import { expect, test } from 'vitest';
import { SegmentPaces } from '../../../workflows/spread/segment-paces.ts';

/** Paces of jobs that were accepted at 0 and took these milliseconds for 1,000 pictures each. */
function pacesOf(...milliseconds: number[]): SegmentPaces {
  const paces = new SegmentPaces();
  for (const [index, ms] of milliseconds.entries()) {
    paces.begin(`${index}`, 0);
    paces.end(`${index}`, 1000, ms);
  }
  return paces;
}

test('a segment is slow after 1.5 times the median of the others', () => {
  const paces = pacesOf(60_000, 20_000, 40_000);
  paces.begin('slow', 100_000);
  expect(paces.slowAtMs('slow', 1000)).toBe(160_000);
});

test('a segment with more pictures has more time', () => {
  const paces = pacesOf(40_000);
  paces.begin('long', 0);
  expect(paces.slowAtMs('long', 1500)).toBe(90_000);
});

test('a short segment is not slow before it is five seconds late', () => {
  const paces = pacesOf(1000);
  paces.begin('short', 0);
  expect(paces.slowAtMs('short', 1000)).toBe(6000);
});

test('no segment is slow before another one has ended, or while it waits for a container', () => {
  const paces = pacesOf();
  paces.begin('first', 0);
  expect(paces.slowAtMs('first', 1000)).toBeUndefined();
  paces.end('first', 1000, 40_000);
  paces.begin('second', 0);
  paces.leave('second');
  expect(paces.slowAtMs('second', 1000)).toBeUndefined();
});
