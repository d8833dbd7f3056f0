import { expect, test } from 'vitest';
import { edgeFilters, joinMeterParts, planMeterParts } from '../../../../engine/sound/loudness/parts.ts';

test('a file is measured in as many parts as processes, with run-in and run-out', () => {
  expect(planMeterParts(100, 2)).toEqual([
    { from: 0, to: 50, readFrom: 0, readTo: 51 },
    { from: 50, to: undefined, readFrom: 46, readTo: undefined },
  ]);
});

test.each([
  [29, 2, 1],
  [30, 2, 2],
  [1e5, 1, 1],
  [0.2, 8, 1],
  [3600, 64, 64],
])('%f seconds on %i processes are %i parts', (seconds, processes, count) => {
  expect(planMeterParts(seconds, processes)).toHaveLength(count);
});

test('only cut edges fade', () => {
  const [first, last] = planMeterParts(100, 2);
  expect(first && edgeFilters(first).join()).toMatch(/^asetpts=N\/SR\/TB,afade=t=out:st=50.950:d=0.05$/);
  expect(last && edgeFilters(last).join()).toMatch(/^asetpts=N\/SR\/TB,afade=t=in:d=0.05$/);
  expect(planMeterParts(10, 1).flatMap(edgeFilters)).toEqual([]);
});

test('the joined blocks of parts equal those of the whole, and a short part is detected', () => {
  const whole = Array.from({ length: 1000 }, (_, index) => index);
  const parts = planMeterParts(100, 3);
  const measured = parts.map(({ readFrom, readTo }, index) => {
    const blocks = whole.slice(readFrom * 10, readTo === undefined ? undefined : readTo * 10);
    return { momentary: blocks, shortTerm: blocks, truePeak: 3 - index };
  });
  expect(joinMeterParts(parts, measured)).toEqual({ momentary: whole, shortTerm: whole, truePeak: 3 });
  const short = measured.map((part, index) =>
    index === 1 ? { ...part, momentary: part.momentary.slice(0, 300) } : part,
  );
  expect(joinMeterParts(parts, short)).toBeUndefined();
});
