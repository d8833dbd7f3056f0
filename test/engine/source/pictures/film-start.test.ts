import { expect, test } from 'vitest';
import { pictureShownAt, secondsOfPicture } from '../../../../engine/products/image/film-clock.ts';
import { planTiming, timingStart } from '../../../../engine/pictures/video-timing.ts';
import { onFilmClock } from '../../../../engine/source/pictures/film-clock.ts';
import { findFilmStart } from '../../../../engine/source/pictures/film-start.ts';
import type { PictureSource } from '../../../../engine/source/pictures/picture-source.ts';
import type { Source } from '../../../../engine/source/source.ts';

const timeBase = { num: 1, den: 1000 };
const constantRate = { num: 25, den: 1 };

/** Fifty pictures in milliseconds; the first is at `startTicks`. */
function film(startTicks: number, soundStarts: readonly number[], rate: typeof constantRate | undefined) {
  const stamps = Array.from({ length: 50 }, (_, number) => startTicks + number * 40);
  const timed = { startTicks, endTicks: startTicks + 2000, timeBase, stamps, frames: 50, soundStarts };
  const pictures = { ...timed, constantRate: rate } as unknown as PictureSource;
  return { ...pictures, filmStart: findFilmStart(pictures) };
}

test.each([
  ['the first picture', 2000, [2.3], constantRate, 2],
  ['the first picture, without sound', 2000, [], constantRate, 2],
  ['the picture that would be shown when the sound starts', 2110, [2], constantRate, 1.99],
  ['the sound, a whole number of pictures early', 2000, [1.8], constantRate, 1.8],
  ['the earliest track', 2000, [2, 0.5, 1], constantRate, 0.48],
  ['the tick before the sound, at a variable rate', 2110, [2.0004], undefined, 2],
])('a film starts with %s', (_, startTicks, soundStarts, rate, start) => {
  expect(film(startTicks, soundStarts, rate).filmStart).toBeCloseTo(start, 9);
});

test('a film with pulldown starts whole pictures of the film before its first picture', () => {
  const fieldSeconds = 1001 / 60_000;
  // The first picture is at 2 s, and lasts three fields.
  const fields = Array.from({ length: 50 }, (_, number) => Math.ceil(number * 2.5));
  const stamps = fields.map((field) => 180_000 + Math.round(field * fieldSeconds * 90_000));
  const pictures = { startTicks: 180_000, timeBase: { num: 1, den: 90_000 }, constantRate: undefined, stamps };
  expect(findFilmStart({ ...pictures, soundStarts: [1.98] })).toBeCloseTo(2 - 1001 / 24_000, 4);
  expect(findFilmStart({ ...pictures, soundStarts: [1.93] })).toBeCloseTo(2 - 2002 / 24_000, 4);
});

test.each([
  ['its own rate', undefined],
  ['30 per second', { num: 30, den: 1 }],
])('films of %s start when images of the same source do', (_, asked) => {
  const pictures = film(2110, [2], constantRate);
  expect(timingStart(planTiming(asked, pictures))).toBe(pictures.filmStart);
  expect(secondsOfPicture(pictures, 0)).toBeCloseTo(0.12, 9);
  expect([0, 0.159, 0.16].map((seconds) => pictureShownAt(pictures, seconds))).toEqual([0, 0, 1]);
});

test('sound without pictures and chapters are on the clock of the film', () => {
  const track = { declaredSeconds: 12, estimatedSeconds: undefined, leadSeconds: 2, sampleRate: 48_000 };
  const chapters = [{ startSeconds: 5, title: 'Five' }];
  const source = {
    tracks: [0, 1].map((number) => ({ ...track, track: number })),
    tags: { beginsAt: 0, chapters, metadata: new Map() },
  } as unknown as Source;
  const { tracks, audio, tags } = onFilmClock(source, film(2040, [2.03, 2.5], constantRate));
  expect(tracks.map(({ aloneStart }) => aloneStart)).toEqual([expect.closeTo(0.03, 9), 0.5]);
  expect(tracks).toMatchObject([
    { leadSeconds: expect.closeTo(0.03, 9), declaredSeconds: expect.closeTo(10.03, 9), estimatedSeconds: undefined },
    { leadSeconds: 0.5, declaredSeconds: 10.5 },
  ]);
  expect(audio).toBe(tracks[0]);
  expect(tags.chapters).toEqual([{ startSeconds: 3, title: 'Five' }]);
});

test('chapters keep their times if the film starts within 50 ms of them', () => {
  const chapters = [{ startSeconds: 5, title: 'Five' }];
  const source = { tracks: [], tags: { beginsAt: 0, chapters, metadata: new Map() } } as unknown as Source;
  expect(onFilmClock(source, film(20, [0], constantRate)).tags.chapters).toEqual(chapters);
});
