import { expect, test } from 'vitest';
import { findClockJump } from '../../../../engine/source/pictures/clock-jump.ts';
import type { Packet } from '../../../../engine/ffmpeg/packet-list.ts';

const timeBase = { num: 1, den: 100 };
const packetsAt = (...times: (number | undefined)[]): Packet[] =>
  times.map((dts) => ({ pts: dts, dts, duration: 4, size: 1, isKey: true, isHidden: false }));

test.each<[string, (number | undefined)[], string, number | undefined]>([
  ['goes on', [0, 4, 8, 12], 'mpegts', undefined],
  ['begins anew', [0, 4, 8, 0, 4, 8], 'avi', 0.08],
  ['repeats its end', [0, 4, 8, 4, 8, 12], 'avi', 0.08],
  ['has a single wrong stamp', [0, 4, 8, 2, 12, 16], 'avi', undefined],
  ['stands still for three pictures', [0, 4, 8, 8, 8, 12], 'avi', undefined],
  ['says nothing of some', [0, undefined, 8, undefined, 12], 'mpegts', undefined],
  ['jumps by a minute in a broadcast', [0, 4, 6004, 6008], 'mpegts', 0.04],
  ['pauses for a minute in a file', [0, 4, 6004, 6008], 'avi', undefined],
  ['is estimated a few pictures off in a program stream', [0, 4, 8, 12, 4, 8, 12, 16], 'mpeg', undefined],
  ['begins anew in a program stream', [100, 104, 108, 0, 4, 8], 'mpeg', 1.08],
  ['pauses for nine seconds in a broadcast', [0, 4, 904, 908], 'mpegts', undefined],
])('a clock that %s', (_, times, formatName, jump) => {
  expect(findClockJump(packetsAt(...times), timeBase, formatName)).toBe(jump);
});

test('a recording that continues on the same clock is decoded early at first, and is not another clock', () => {
  const recording = (start: number): Packet[] =>
    // In display order 0, 2, 1, the first picture is decoded two pictures before it is shown.
    [0, 8, 4].map((shown, index) => ({
      pts: start + shown,
      dts: start + 4 * (index - 2),
      duration: 4,
      size: 1,
      isKey: shown === 0,
      isHidden: false,
    }));
  expect(findClockJump([...recording(0), ...recording(12)], timeBase, 'mpegts')).toBeUndefined();
  expect(findClockJump([...recording(0), ...recording(0)], timeBase, 'mpegts')).toBe(0);
});
