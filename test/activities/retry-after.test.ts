import { expect, test } from 'vitest';
import { readRetryAfter } from '../../activities/retry-after.ts';

const nowMs = Date.parse('2026-10-21T07:28:00.400Z');
const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
const in42 = 'Wed, 21 Oct 2026 07:28:42 GMT';

type Row = [
  name: string,
  bodyField: unknown,
  header: string | undefined,
  dateHeader: string | undefined,
  expected: number | undefined,
];

test.each<Row>([
  ['the body’s field', 7, undefined, undefined, 7],
  ['the body before the header', 7, '25', undefined, 7],
  ['a fraction in the body', 7.5, undefined, undefined, 7.5],
  ['a body below a second, one second', 0.01, undefined, undefined, 1],
  ['the header where the body has the wrong type', '7', '25', undefined, 25],
  ['the header where the body is negative', -7, '25', undefined, 25],
  ['the header where the body says zero', 0, '25', undefined, 25],
  ['the header where the body is not a number', Number.NaN, '25', undefined, 25],
  ['the header where the body is infinite', Infinity, '25', undefined, 25],
  ['seconds in the header', undefined, ' 25 ', undefined, 25],
  ['a date against the answer’s own clock', undefined, in42, date, 42],
  ['a date against our clock, to its full second', undefined, in42, undefined, 42],
  ['a date against our clock where the other is nonsense', undefined, in42, 'today', 42],
  ['a date with dashes', undefined, 'Wednesday, 21-Oct-26 07:28:42 GMT', date, 42],
  ['a date in the past, nothing', undefined, date, in42, undefined],
  ['a negative header, nothing', undefined, '-5', undefined, undefined],
  ['a header that is neither seconds nor a date, nothing', undefined, '7 seconds', undefined, undefined],
  ['a date without a time, nothing', undefined, '2026-10-22', undefined, undefined],
  ['an answer that says nothing, nothing', undefined, undefined, undefined, undefined],
])('the wait follows from %s', (_, bodyField, retryAfterHeader, dateHeader, expected) => {
  expect(readRetryAfter({ bodyField, retryAfterHeader, dateHeader }, nowMs)).toBe(expected);
});
