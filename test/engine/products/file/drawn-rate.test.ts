import { expect, test } from 'vitest';
import { drawnRate } from '../../../../engine/products/file/drawn-rate.ts';
import type { VideoTiming } from '../../../../engine/plan/video-plan.ts';

/** A film on a clock of milliseconds, whose last picture ends at the last of these times. */
const film = (times: readonly number[], gridTicks?: number): VideoTiming & { kind: 'variable' } => ({
  ...{ kind: 'variable', timeBase: { num: 1, den: 1000 }, startTicks: times[0] ?? 0, endTicks: times.at(-1) ?? 0 },
  stamps: times.slice(0, -1),
  ...(gridTicks !== undefined && { gridTicks }),
});

/** Times of 100 pictures with this distance, on average, and of one that is shown for a second. */
const withPause = (step: number): number[] => {
  const times = Array.from({ length: 100 }, (_, picture) => Math.round(picture * step));
  return [...times, (times.at(-1) ?? 0) + 1000];
};

const constant = (num: number, den = 1): VideoTiming => ({
  ...{ kind: 'constant', fps: { num, den }, frames: 10, startSeconds: 0 },
});

test.each<[string, VideoTiming, num: number, den?: number]>([
  ['slides', film([0, 5_130, 9_700, 60_000]), 25],
  ['an animation with a long last picture', film([0, 70, 140, 210, 1000]), 24],
  ['pictures of 24 a second with a pause', film(withPause(1000 / 24)), 24],
  ['pictures of 30 a second with a pause', film(withPause(1000 / 30)), 30],
  ['pictures of 60 a second with a pause', film(withPause(1000 / 60)), 60],
  ['pictures of 144 a second with a pause', film(withPause(1000 / 144)), 60],
  ['a grid of 2 a second with gaps', film([0, 500, 4_000, 4_500], 500), 24],
  ['a grid of 12.5 a second with gaps', film([0, 80, 400, 480], 80), 25],
  ['a grid of 29.97 a second with gaps', film([0, 33, 334, 367], 1001 / 30), 30_000, 1001],
  ['a grid of 48 a second with gaps', film([0, 21, 42, 500], 1000 / 48), 50],
  ['a grid of 100 a second, as of a GIF, with gaps', film([0, 40, 80, 500], 10), 25],
  ['one picture a second', constant(1), 24],
  ['one picture in ten seconds', constant(1, 10), 24],
  ['five pictures a second', constant(5), 25],
  ['7 pictures a second', constant(7), 25],
])('texts and fades over %s are drawn at a common rate', (_, timing, num, den = 1) => {
  expect(drawnRate(timing)).toEqual({ num, den });
});

test.each<[string, VideoTiming]>([
  ['a film of 25 pictures a second', constant(25)],
  ['a film of 10 pictures a second', constant(10)],
  ['a recording of a phone, whose pictures are up to a tenth of a second apart', film([0, 33, 66, 101, 201, 233])],
])('texts and fades over %s keep its pictures', (_, timing) => {
  expect(drawnRate(timing)).toBeUndefined();
});

test('a part of a film counts its pictures from the time at which it begins', () => {
  const slide = { ...film([0, 5_000, 5_040, 5_080]), startTicks: 4_950 };
  expect(drawnRate(slide)).toBeUndefined();
  expect(drawnRate({ ...slide, startTicks: 4_000 })).toEqual({ num: 25, den: 1 });
});
