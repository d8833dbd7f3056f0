import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { frameRate, gridFilters } from '../../../../engine/pictures/edits/frame-rate.ts';
import { planTiming } from '../../../../engine/pictures/video-timing.ts';
import type { VideoPlan } from '../../../../engine/plan/video-plan.ts';
import type { PictureSource } from '../../../../engine/source/pictures/picture-source.ts';

const execute = promisify(execFile);

// At 59.94 pictures per second, every second picture of 23.976 is halfway between two places.
const [film, doubled] = ['24000/1001', { num: 60_000, den: 1001 }];
/** First pictures of parts, and the end of all. */
const [firsts, end] = [[0, 4, 7], 40];

test.each([
  ['mkv', film, { num: 1, den: 1000 }, doubled],
  ['mp4', film, { num: 1, den: 24_000 }, doubled],
  // A tick is a picture, and no clock of whole ticks for both is slow enough for ffmpeg.
  ['avi', '10000000/333667', { num: 333_667, den: 10_000_000 }, { num: 13_300, den: 1000 }],
])(
  'a part of an %s at another rate has the pictures that the whole film has there',
  async (_, rate, timeBase, asked) => {
    const source = { isStamped: true, heldBack: 0, timeBase } as unknown as PictureSource;
    const parts = firsts.map((first) => gridFilters(source, asked, (first * asked.den) / asked.num).join());
    const input = `testsrc2=s=64x64:r=${rate}:d=4,settb=${timeBase.num}/${timeBase.den}`;
    const graph = [`${input},split=4[plain]${firsts.map((first) => `[from${first}]`).join('')}`];
    graph.push(
      `[plain]fps=${asked.num}/${asked.den}[o0]`,
      ...parts.map((filters, index) => `[from${firsts[index]}]${filters}[o${index + 1}]`),
    );
    const maps = [0, 1, 2, 3].flatMap((stream) => ['-map', `[o${stream}]`]);
    const args = [
      '-v',
      'error',
      '-filter_complex',
      graph.join(';'),
      ...maps,
      '-fps_mode',
      'passthrough',
      '-f',
      'framemd5',
    ];
    const { stdout } = await execute('ffmpeg', ['-nostdin', ...args, '-']);
    const lines = stdout.split('\n').map((line) => line.split(/, */));
    const hashesOf = (stream: number) =>
      lines.flatMap(([index, ...facts]) => (index === String(stream) ? facts.slice(-1) : []));
    for (const [index, first] of firsts.entries()) {
      expect(hashesOf(index + 1).slice(0, end - first), `from ${first}`).toEqual(hashesOf(0).slice(first, end));
    }
  },
);

test('a film of variable rate has times in microseconds if its clock is faster, which overlays would round', () => {
  const planned = (timeBase: { num: number; den: number }) => {
    const stamps = [-333_665, 0, 4, 333_667, 1_000_125];
    const times = { startTicks: -333_665, filmStart: -0.033_366_5, endTicks: 1_333_456 };
    const source = { timeBase, stamps, frames: 5, claimedRates: [], ...times } as unknown as PictureSource;
    const timing = planTiming(undefined, source);
    return { timing, filters: frameRate.onSource?.({ timing } as VideoPlan, source) };
  };
  expect(planned({ num: 1, den: 10_000_000 })).toEqual({
    timing: {
      ...{ kind: 'variable', timeBase: { num: 1, den: 1_000_000 }, startTicks: -33_367, endTicks: 133_346 },
      // ffmpeg rounds the middle of two ticks away from zero.
      stamps: [-33_367, 0, 33_367, 100_013],
    },
    filters: [
      ...['settb=1/1000000', expect.stringMatching(/^select=/), 'trim=start_pts=-33367:end_pts=100014'],
      'setpts=if(eq(N\\,0)\\,0\\,PTS--33367)',
    ],
  });
  expect(planned({ num: 1, den: 1_000_000 }).timing).toMatchObject({ stamps: [-333_665, 0, 4, 333_667, 1_000_125] });
});
