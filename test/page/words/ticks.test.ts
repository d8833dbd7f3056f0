import { expect, test } from 'vitest';
import { formatClock, formatRound, formatSpan } from '../../../page/words/format.ts';
import { dayTicks, spanTicks, type Tick, valueTicks } from '../../../page/words/ticks.ts';

const wordsOf = (ticks: readonly Tick[]): string[] => ticks.map(({ words }) => words);

test.each([
  [0.35, ['0 s', '0.1 s', '0.2 s', '0.3 s']],
  [7.3, ['0 s', '2 s', '4 s', '6 s']],
  [46, ['0 s', '15 s', '30 s', '45 s']],
  [47.1, ['0 s', '15 s', '30 s', '45 s']],
  [100, ['0 s', '30 s', '1 min', '1 min 30 s']],
  [601, ['0 s', '5 min', '10 min']],
  [5_000, ['0 s', '30 min', '1 h 0 min']],
  [90_000, ['0 s', '12 h 0 min', '24 h 0 min']],
  [0, []],
  [Number.NaN, []],
])('%d seconds have round ticks', (seconds, expected) => {
  expect(wordsOf(spanTicks(seconds, formatSpan))).toEqual(expected);
});

test('ticks are at their place', () => {
  expect(spanTicks(40, formatSpan).map(({ at }) => at)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(valueTicks(0, 12, formatRound)).toEqual([
    { at: 1, words: '0' },
    { at: 7 / 12, words: '5' },
    { at: 2 / 12, words: '10' },
  ]);
});

test('ticks in whole seconds never repeat a label', () => {
  expect(wordsOf(spanTicks(0.8, formatClock, 1))).toEqual(['0:00']);
  expect(wordsOf(spanTicks(2.5, formatClock, 1))).toEqual(['0:00', '0:01', '0:02']);
});

test.each([
  [-50, 0, ['−40', '−20', '0']],
  [0, 4, ['0', '2', '4']],
  [0, 22.05, ['0', '10', '20']],
  [0, 24, ['0', '10', '20']],
  [0, 96, ['0', '50']],
  [0, 1, ['0', '1']],
  [0, 480, ['0', '200', '400']],
])('values from %d to %d have round ticks', (from, to, expected) => {
  expect(wordsOf(valueTicks(from, to, formatRound))).toEqual(expected);
});

test.each([
  ['a day', [1, 1, 22], [2, 1, 22], ['6:00', '12:00', '18:00', '0:00']],
  ['the day on which the clock moves forward in Europe', [28, 20, 5], [29, 20, 5], ['0:00', '6:00', '12:00', '18:00']],
  ['the first minutes', [1, 13, 7], [1, 13, 31], ['13:10', '13:20', '13:30']],
] as const)('%s has ticks at full hours or round minutes of the local time', (_name, from, to, expected) => {
  const at = ([date, hour, minute]: readonly [number, number, number]): number =>
    new Date(2026, 2, date, hour, minute).getTime();
  const clockOf = (iso: string): string => {
    const moment = new Date(iso);
    return `${moment.getHours()}:${String(moment.getMinutes()).padStart(2, '0')}`;
  };
  expect(wordsOf(dayTicks(at(from), at(to), clockOf))).toEqual(expected);
});
