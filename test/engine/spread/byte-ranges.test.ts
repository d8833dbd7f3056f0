import { expect, test } from 'vitest';
import { divideRanges, joinRanges, missingRanges } from '../../../engine/spread/byte-ranges.ts';

const range = (from: number, end: number) => ({ from, end });

test('joins ranges that overlap, touch, or have a small gap, in any order', () => {
  const ranges = [range(50, 60), range(0, 10), range(5, 20), range(20, 25), range(28, 30), range(7, 7)];
  expect(joinRanges(ranges)).toEqual([range(0, 25), range(28, 30), range(50, 60)]);
  expect(joinRanges(ranges, 3)).toEqual([range(0, 30), range(50, 60)]);
});

test('names the parts of ranges that are not present', () => {
  const present = [range(0, 10), range(20, 30), range(40, 50)];
  expect(missingRanges([range(5, 45), range(46, 49), range(60, 70)], present)).toEqual([
    range(10, 20),
    range(30, 40),
    range(60, 70),
  ]);
  expect(missingRanges([range(0, 10)], present)).toEqual([]);
});

test('divides ranges into parts that cover them', () => {
  expect(divideRanges([range(0, 25), range(30, 40)], 10)).toEqual([
    range(0, 10),
    range(10, 20),
    range(20, 25),
    range(30, 40),
  ]);
});
