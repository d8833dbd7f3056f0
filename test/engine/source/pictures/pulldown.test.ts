import { expect, test } from 'vitest';
import { findPulldownRate } from '../../../../engine/source/pictures/pulldown.ts';

const film = { num: 24_000, den: 1001 };
const fieldSeconds = 1001 / 60_000;
const byTurns = Array.from({ length: 40 }, (_, index) => Math.ceil(index * 2.5));

const stampsOf = (fields: readonly number[], ticksPerSecond: number): number[] =>
  fields.map((field) => Math.round(field * fieldSeconds * ticksPerSecond));

test.each([90_000, 60_000, 1000])(
  'pictures that alternate between two and three fields are 24 per second on a clock of %i',
  (clock) => {
    expect(findPulldownRate(stampsOf(byTurns, clock), { num: 1, den: clock })).toEqual(film);
  },
);

test('a cut that changes the alternation is tolerated', () => {
  const cut = [...byTurns.slice(0, 21), ...byTurns.slice(22).map((field) => field - 2)];
  expect(findPulldownRate(stampsOf(cut, 90_000), { num: 1, den: 90_000 })).toEqual(film);
});

test.each<[string, number[]]>([
  ['30 a second', byTurns.map((_, index) => index * 2)],
  ['20 a second', byTurns.map((_, index) => index * 3)],
  ['two fields in one half and three in the other', byTurns.map((_, index) => index * 2 + Math.max(0, index - 20))],
  ['now and then for four', byTurns.map((field, index) => field + (index > 20 ? 1.5 : 0))],
  ['a few', [0, 2, 5]],
])('pictures of %s are not such a film', (_, fields) => {
  expect(findPulldownRate(stampsOf(fields, 90_000), { num: 1, den: 90_000 })).toBeUndefined();
});
