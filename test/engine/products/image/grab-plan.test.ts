import { expect, test } from 'vitest';
import type { PictureSource } from '../../../../engine/source/pictures/picture-source.ts';
import { planGrab } from '../../../../engine/products/image/grab-plan.ts';
import { pictureShownAt, secondsOfPicture } from '../../../../engine/products/image/film-clock.ts';

/** A 1080p film at 25 per second, in milliseconds, with a key frame every ten seconds. */
function film(seconds: number, changes: Partial<PictureSource> = {}): PictureSource {
  const stamps = Array.from({ length: seconds * 25 }, (_, number) => number * 40);
  return {
    coded: { width: 1920, height: 1080 },
    timeBase: { num: 1, den: 1000 },
    ...{ stamps, frames: stamps.length, startTicks: 0, endTicks: seconds * 1000, heldBack: 0, filmStart: 0 },
    keyTicks: stamps.filter((stamp) => stamp % 10_000 === 0),
    constantRate: { num: 25, den: 1 },
    ...changes,
  } as PictureSource;
}

const runsOf = (source: PictureSource, numbers: number[], most = Infinity) =>
  planGrab(source, numbers, { most }).map(({ numbers: own, entrySeconds }) => [own, entrySeconds]);

test('pictures far apart are reached from the key frame before each', () => {
  expect(runsOf(film(60), [3, 1000, 1001, 1010, 1400])).toEqual([
    [[3], undefined],
    [[1000, 1001, 1010], 40.0005],
    [[1400], 50.0005],
  ]);
});

test('reordered pictures are entered after their key frame, from where a demuxer looks back', () => {
  expect(runsOf(film(60, { heldBack: 2 }), [1400])).toEqual([[[1400], 50.1355]]);
});

test('small pictures are decoded in one run, because starting a process takes longer', () => {
  expect(runsOf(film(60, { coded: { width: 160, height: 90 } }), [3, 1000, 1400])).toEqual([
    [[3, 1000, 1400], undefined],
  ]);
});

test('no run exceeds the size of its file or of an expression', () => {
  expect(runsOf(film(60), [1, 2, 3, 4, 5], 2).map(([numbers]) => numbers)).toEqual([[1, 2], [3, 4], [5]]);
  const [first, second] = planGrab(
    film(60, { coded: { width: 16, height: 16 } }),
    Array.from({ length: 100 }, (_, index) => index * 2),
    { most: Infinity },
  );
  expect([first?.numbers.length, second?.numbers.length]).toEqual([90, 10]);
});

test('key frames are decoded without other pictures', () => {
  expect(planGrab(film(60), [0, 500], { most: 9 }).map(({ isOfKeysOnly }) => isOfKeysOnly)).toEqual([true]);
  expect(planGrab(film(60), [0, 501], { most: 9 }).map(({ isOfKeysOnly }) => isOfKeysOnly)).toEqual([false, false]);
});

test('HEVC in MPEG-TS is decoded from its start, and in other files from a key frame', () => {
  const hevc = film(60, { codec: 'hevc', formatName: 'mpegts' });
  expect(runsOf(hevc, [3, 1400])).toEqual([[[3, 1400], undefined]]);
  expect(runsOf({ ...hevc, formatName: 'matroska,webm' }, [3, 1400])).toEqual([
    [[3], undefined],
    [[1400], 50.0005],
  ]);
});

test('pictures without timestamps are counted from the start', () => {
  expect(planGrab(film(60, { stamps: undefined }), [3, 1400], { most: 9 })).toMatchObject([
    { numbers: [3, 1400], entrySeconds: undefined, isOfKeysOnly: false },
  ]);
});

test('the picture at a time is the last one before it', () => {
  const slow = film(1, { constantRate: undefined, stamps: [0, 500, 700], frames: 3, startTicks: 0, endTicks: 900 });
  expect([0, 0.499, 0.5, 0.6, 0.7, 5].map((seconds) => pictureShownAt(slow, seconds))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(secondsOfPicture(slow, 2)).toBeCloseTo(0.7, 9);
  // The sound, and therefore the film, starts ten pictures earlier.
  expect([0, 0.6].map((seconds) => pictureShownAt(film(1, { filmStart: -0.4 }), seconds))).toEqual([0, 5]);
});
