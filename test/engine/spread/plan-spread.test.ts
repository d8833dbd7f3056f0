import { describe, expect, test } from 'vitest';
import type { PictureTarget } from '../../../engine/pictures/picture-target.ts';
import type { VideoPlan } from '../../../engine/plan/video-plan.ts';
import type { PictureSource } from '../../../engine/source/pictures/picture-source.ts';
import { planSpread, planWindow } from '../../../engine/spread/plan-spread.ts';

const frames = 25 * 600;

/** Ten minutes at 25 pictures a second, with a key frame each 50 pictures. */
const source = {
  stamps: [0],
  isStamped: true,
  hasRepeated: false,
  startsLate: false,
  formatName: 'mov,mp4,m4a,3gp,3g2,mj2',
  timeBase: { num: 1, den: 25 },
  keyTicks: Array.from({ length: frames / 50 }, (_, index) => index * 50),
} as unknown as PictureSource;

const timing = { kind: 'constant', fps: { num: 25, den: 1 }, frames, startSeconds: 0 } as const;

const planOf = (changes: Partial<VideoPlan> = {}): VideoPlan =>
  ({ codec: 'h264', timing, fields: { kind: 'none' }, ...changes }) as VideoPlan;

const film = (changes: Partial<VideoPlan> = {}, checks: object = {}): Pick<PictureTarget, 'plan'> =>
  ({ plan: { video: planOf(changes), checks } }) as unknown as Pick<PictureTarget, 'plan'>;

const request = { leastSeconds: 300, segments: 6, segmentSeconds: { least: 60, most: 120 } };

const bordersOf = (...args: Parameters<typeof planSpread>): number[] => {
  const planned = planSpread(...args);
  return planned.kind === 'segments' ? planned.segments.map(({ from }) => from) : [];
};

describe('borders', () => {
  test('a film is divided into the wanted number of segments, without a gap', () => {
    expect(planSpread([film()], source, request)).toEqual({
      kind: 'segments',
      segments: Array.from({ length: 6 }, (_, index) => ({ from: index * 2500, to: (index + 1) * 2500 })),
    });
  });

  test.each([
    ['at least the least length', { ...request, segments: 100 }, 10],
    ['at most the most length', { ...request, segments: 1 }, 5],
  ])('segments have %s', (_, wanted, count) => {
    expect(bordersOf([film()], source, wanted)).toHaveLength(count);
  });

  test('a film of exactly the least length is divided', () => {
    expect(bordersOf([film()], source, { ...request, leastSeconds: 600 })).toHaveLength(6);
    expect(bordersOf([film()], source, { ...request, leastSeconds: 601 })).toEqual([]);
  });

  test('a rest of more than half a segment is a segment of its own, and a shorter one is not', () => {
    const lastOf = (seconds: number): number[] => {
      const longer = { ...timing, frames: 25 * seconds };
      return bordersOf([film({ timing: longer })], source, {
        ...request,
        segments: 5,
        segmentSeconds: { least: 120, most: 120 },
      });
    };
    expect(lastOf(665)).toHaveLength(6);
    expect(lastOf(655)).toHaveLength(5);
  });

  test('all segments of eight sizes have at most 90 files, even if key frames shorten each', () => {
    const films = Array.from({ length: 8 }, () => film());
    const short = { ...request, segmentSeconds: { least: 20, most: 20 } };
    const borders = bordersOf(films, source, short);
    expect(borders.length * films.length).toBeGreaterThan(50);
    const keyTicks = Array.from({ length: 100 }, (_, index) => Math.round(index * 0.76 * (borders[1] ?? 0)));
    expect(bordersOf(films, { ...source, keyTicks }, short).length * films.length).toBeLessThanOrEqual(90);
  });

  test('a border moves to the nearest key frame of the source within a quarter of the length', () => {
    const keyTicks = [0, 2300, 4100, 9999];
    expect(bordersOf([film()], { ...source, keyTicks }, request)).toEqual([0, 2300, 4800, 7300, 9999, 12_499]);
  });

  test.each<[string, Partial<VideoPlan>, number]>([
    ['a requested interval of 2 s', { keyframeSeconds: 2 }, 50],
    ['the interval of AV1', { codec: 'av1' }, 250],
    ['the interval of VP9', { codec: 'vp9' }, 250],
  ])('borders are multiples of %s', (_, changes, grid) => {
    const borders = bordersOf([film(changes)], source, { ...request, segments: 7 });
    expect(borders.length).toBeGreaterThan(5);
    expect(borders.every((border) => border % grid === 0)).toBe(true);
  });

  test('borders of several outputs are multiples of all intervals', () => {
    const films = [film({ keyframeSeconds: 2 }), film({ keyframeSeconds: 3 })];
    expect(bordersOf(films, source, { ...request, segments: 7 }).every((border) => border % 150 === 0)).toBe(true);
  });
});

test('a grid that is longer than a segment makes segments of one grid each', () => {
  const films = [film({ keyframeSeconds: 60 })];
  expect(bordersOf(films, source, { ...request, segmentSeconds: { least: 20, most: 20 } })).toEqual(
    Array.from({ length: 10 }, (_, index) => index * 1500),
  );
});

describe('a film stays whole', () => {
  test.each<[string, Parameters<typeof planSpread>, RegExp]>([
    ['without pictures', [[], source, request], /no output has pictures/],
    ['if its pictures are copied', [[film({ isCopied: true })], source, request], /are copied/],
    ['in ProRes', [[film({ codec: 'prores' })], source, request], /prores is encoded by one container/],
    ['at a bitrate', [[film({ bitrate: 900 })], source, request], /two passes/],
    [
      'with a target per scene within a limit of its rate',
      [[film({ maxBitrate: 900 }, { target: { vmaf: 95, per: 'scene' } })], source, request],
      /with a maxBitrate/,
    ],
    [
      'of mixed scan',
      [[film({ fields: { kind: 'apparent', order: 'upper first' } })], source, request],
      /partly interlaced/,
    ],
    ['that begins late', [[film()], { ...source, startsLate: true }, request], /key frame/],
    ['without times', [[film()], { ...source, stamps: undefined }, request], /does not state the times/],
    ['in a format without an index', [[film()], { ...source, formatName: 'mpegts' }, request], /no index/],
    ['with repeated times', [[film()], { ...source, hasRepeated: true }, request], /repeats the times/],
    [
      'of a variable rate',
      [
        [
          film({
            timing: { kind: 'variable', timeBase: { num: 1, den: 25 }, stamps: [0], startTicks: 0, endTicks: 1 },
          }),
        ],
        source,
        request,
      ],
      /varies/,
    ],
    [
      'for outputs of two rates',
      [[film(), film({ timing: { ...timing, fps: { num: 30, den: 1 } } })], source, request],
      /different frame rates/,
    ],
    ['below the least length', [[film()], source, { ...request, leastSeconds: 601 }], /shorter than 601 s/],
    [
      'too short for two segments',
      [[film({ timing: { ...timing, frames: 2000 } })], source, { ...request, leastSeconds: 0 }],
      /too short for two/,
    ],
  ])('%s', (_, args, reason) => {
    expect(planSpread(...args)).toEqual({ kind: 'whole', reason: expect.stringMatching(reason) });
  });
});

describe('the pictures that an encoder gets', () => {
  test('the first segment has pictures after it only', () => {
    expect(planWindow(planOf(), { from: 0, to: 2500 })).toEqual({
      timing: { ...timing, frames: 2560, skipped: 0 },
      before: 0,
      keys: [2500],
    });
  });

  test('a segment in the middle has pictures on both sides, and key frames at its borders', () => {
    expect(planWindow(planOf(), { from: 2500, to: 5000 })).toEqual({
      timing: { ...timing, frames: 200 + 2500 + 60, startSeconds: 92, skipped: 2300 },
      before: 200,
      keys: [200, 2700],
    });
  });

  test('borders among the pictures before and after a short segment are key frames too', () => {
    const slow = { ...timing, fps: { num: 5, den: 1 }, frames: 1000 };
    const short = { leastSeconds: 0, segments: 200, segmentSeconds: { least: 10, most: 10 } };
    const planned = planSpread([film({ timing: slow })], { ...source, keyTicks: [0] }, short);
    const segments = planned.kind === 'segments' ? planned.segments : [];
    expect(segments[0]).toEqual({ from: 0, to: 50, borders: [100] });
    expect(segments[2]).toEqual({ from: 100, to: 150, borders: [50, 200] });
    expect(segments[9]).toEqual({ from: 450, to: 500, borders: [300, 350, 400, 550] });
    const range = segments[9] ?? { from: 0, to: 0 };
    expect(planWindow(planOf({ timing: slow }), range).keys).toEqual([50, 100, 150, 200, 250, 300]);
    expect(planWindow(planOf({ timing: slow, keyframeSeconds: 10 }), range).keys).toEqual([]);
  });

  test('the last segment has pictures before it only', () => {
    expect(planWindow(planOf(), { from: 12_500, to: frames })).toMatchObject({
      timing: { frames: 2700 },
      keys: [200],
    });
  });

  test('a requested interval also holds before the segment, and its key frames are not forced', () => {
    const plan = planOf({ keyframeSeconds: 3 });
    expect(planWindow(plan, { from: 3000, to: 6000 })).toMatchObject({ before: 225, keys: [] });
  });

  test('x265 gets as many pictures before a segment as x264, because it forgets as slowly', () => {
    expect(planWindow(planOf({ codec: 'hevc' }), { from: 2500, to: 5000 })).toMatchObject({ before: 200 });
  });

  test('AV1 begins a whole interval earlier, so that its key frames stay in place', () => {
    expect(planWindow(planOf({ codec: 'av1' }), { from: 2500, to: 5000 })).toMatchObject({ before: 250 });
  });
});
