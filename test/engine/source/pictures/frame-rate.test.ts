import { expect, test } from 'vitest';
import { findConstantRate, findGridRate } from '../../../../engine/source/pictures/frame-rate.ts';

const ntsc = { num: 30_000, den: 1001 };
const milliseconds = { num: 1, den: 1000 };
const ninetyKilohertz = { num: 1, den: 90_000 };

const stampsAt = (count: number, ticks: number, from = 0) =>
  Array.from({ length: count }, (_, index) => from + Math.round(index * ticks));

test.each([
  ['exact ticks', stampsAt(100, 3003, 127_920), ninetyKilohertz, [ntsc], ntsc],
  ['milliseconds, rounded', stampsAt(1000, 1001 / 30), milliseconds, [{ num: 30, den: 1 }, ntsc], ntsc],
  ['a claim that is an estimate', stampsAt(1000, 1001 / 30), milliseconds, [{ num: 19_001, den: 634 }], ntsc],
  ['a claim of another rate', stampsAt(100, 3600), ninetyKilohertz, [{ num: 30, den: 1 }], { num: 25, den: 1 }],
  ['no claim', stampsAt(100, 1500), ninetyKilohertz, [], { num: 60, den: 1 }],
  ['one picture', [0], ninetyKilohertz, [{ num: 25, den: 1 }], { num: 25, den: 1 }],
])('%s are a constant rate', (_what, stamps, timeBase, claimed, rate) => {
  expect(findConstantRate(stamps, timeBase, claimed)).toEqual(rate);
});

test.each([
  ['one picture is missing', stampsAt(100, 3600).filter((_, index) => index !== 50)],
  ['one is two ticks late', stampsAt(100, 3600).map((stamp, index) => (index === 50 ? stamp + 2 : stamp))],
  ['the rate changes', [...stampsAt(50, 3600), ...stampsAt(50, 1800, 180_000)]],
])('the rate is not constant if %s', (_what, stamps) => {
  expect(findConstantRate(stamps, ninetyKilohertz, [{ num: 25, den: 1 }])).toBeUndefined();
});

test('timestamps that ffmpeg estimated may be several ticks off, and a missing picture is still noticed', () => {
  const rate = { num: 24_000, den: 1001 };
  const estimated = stampsAt(30, 3753.75).map((stamp, index) => stamp - (index % 8) / 2);
  expect(findConstantRate(estimated, ninetyKilohertz, [rate])).toBeUndefined();
  expect(findConstantRate(estimated, ninetyKilohertz, [rate], true)).toEqual(rate);
  const withGap = estimated.filter((_, index) => index !== 15);
  expect(findConstantRate(withGap, ninetyKilohertz, [rate], true)).toBeUndefined();
});

test('a missing picture is noticed even on a clock of one tick per picture', () => {
  const stamps = Array.from({ length: 75 }, (_, index) => (index === 0 ? 0 : index + 1));
  const rate = { num: 25, den: 1 };
  expect(findConstantRate(stamps, { num: 1, den: 25 }, [rate])).toBeUndefined();
  expect(findConstantRate(stamps.slice(1), { num: 1, den: 25 }, [rate])).toEqual(rate);
});

test.each([
  ['each second tick', [7, 9, 11, 17, 19], { num: 30_000, den: 1001 }],
  ['every tick, with one missing', [0, 1, 2, 4], { num: 60_000, den: 1001 }],
  ['one picture', [3], undefined],
])('the grid of pictures in whole ticks has the lowest rate: %s', (_what, stamps, rate) => {
  expect(findGridRate(stamps, { num: 1001, den: 60_000 })).toEqual(rate);
});

test('pictures whose grid is finer than any film have no grid', () => {
  expect(findGridRate([0, 33, 67, 100], milliseconds)).toBeUndefined();
});
