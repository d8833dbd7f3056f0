import { expect, test } from 'vitest';
import { planEntry } from '../../../engine/pictures/entry.ts';
import type { PictureSource } from '../../../engine/source/pictures/picture-source.ts';
import type { VideoPlan } from '../../../engine/plan/video-plan.ts';

const stamps = Array.from({ length: 250 }, (_, index) => index);
const source = {
  ...{ stamps, keyTicks: [0, 50, 100, 150, 200], timeBase: { num: 1, den: 25 }, formatName: 'mov,mp4' },
  ...{ startsLate: false, frames: 250, startTicks: 0, endTicks: 250 },
} as unknown as PictureSource;

const planOf = (startSeconds: number, frames: number) =>
  ({
    timing: { kind: 'constant', fps: { num: 25, den: 1 }, startSeconds, frames },
    fields: { kind: 'none' },
  }) as unknown as VideoPlan;

test('a late part of a film is entered two groups of pictures before it', () => {
  expect(planEntry([planOf(8.4, 25)], source)).toEqual({ seekSeconds: 4, frames: 22 });
});

test('outputs of several parts are entered for the earliest', () => {
  expect(planEntry([planOf(8.4, 25), planOf(6, 10)], source)).toMatchObject({ seekSeconds: 2 });
});

test.each<[string, Partial<PictureSource>, number]>([
  ['the beginning of a film', {}, 3.9],
  ['a part of a stream without an index', { formatName: 'mpegts' }, 8.4],
  ['a part of a film that begins with pictures nobody can decode', { startsLate: true }, 8.4],
  ['a part of a film without stamps', { stamps: undefined }, 8.4],
])('%s is decoded from the first picture on', (_, changes, start) => {
  expect(planEntry([planOf(start, 10)], { ...source, ...changes }).seekSeconds).toBeUndefined();
});

test('a part of a telecined film is decoded from the first picture on, to keep its groups of five', () => {
  const fields = { kind: 'inverse telecine', order: 'upper first', from: { num: 30_000, den: 1001 } } as const;
  expect(planEntry([{ ...planOf(8.4, 10), fields }], source).seekSeconds).toBeUndefined();
});
