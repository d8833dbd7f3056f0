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
  ['a body below one second, as one second', 0.01, undefined, undefined, 1],
  ['the header if the body has the wrong type', '7', '25', undefined, 25],
  ['the header if the body is negative', -7, '25', undefined, 25],
  ['the header if the body is zero', 0, '25', undefined, 25],
  ['the header if the body is NaN', Number.NaN, '25', undefined, 25],
  ['the header if the body is infinite', Infinity, '25', undefined, 25],
  ['seconds in the header', undefined, ' 25 ', undefined, 25],
  ['a date by the answer’s clock', undefined, in42, date, 42],
  ['a date by the local clock, rounded up', undefined, in42, undefined, 42],
  ['a date by the local clock if the answer’s date is invalid', undefined, in42, 'today', 42],
  ['a date with dashes', undefined, 'Wednesday, 21-Oct-26 07:28:42 GMT', date, 42],
  ['zero in the header, as one second', undefined, '0', undefined, 1],
  ['zero in the body alone, as one second', 0, undefined, undefined, 1],
  ['a date in the past, as one second', undefined, date, in42, 1],
  ['a date long past, as one second', undefined, 'Thu, 01 Jan 1970 00:00:00 GMT', undefined, 1],
  ['a negative body, without a result', -7, undefined, undefined, undefined],
  ['a negative header, without a result', undefined, '-5', undefined, undefined],
  ['a header that is neither seconds nor a date, without a result', undefined, '7 seconds', undefined, undefined],
  ['a date without a time, without a result', undefined, '2026-10-22', undefined, undefined],
  ['an answer without a wait, without a result', undefined, undefined, undefined, undefined],
])('reads the wait from %s', (_, bodyField, header, dateHeader, expected) => {
  expect(readRetryAfter({ 'retry-after': header, date: dateHeader }, nowMs, bodyField)).toBe(expected);
});
