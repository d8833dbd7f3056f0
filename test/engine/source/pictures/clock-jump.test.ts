import { expect, test } from 'vitest';
import { findClockJump } from '../../../../engine/source/pictures/clock-jump.ts';
import type { Packet } from '../../../../engine/ffmpeg/packet-list.ts';

const timeBase = { num: 1, den: 100 };
const packetsAt = (...times: (number | undefined)[]): Packet[] =>
  times.map((dts) => ({ pts: dts, dts, duration: 4, size: 1, isKey: true, isHidden: false }));

test.each<[string, (number | undefined)[], boolean, number | undefined]>([
  ['goes on', [0, 4, 8, 12], true, undefined],
  ['begins anew', [0, 4, 8, 0, 4, 8], false, 0.08],
  ['repeats its end', [0, 4, 8, 4, 8, 12], false, 0.08],
  ['has a single wrong stamp', [0, 4, 8, 2, 12, 16], false, undefined],
  ['stands still for three pictures', [0, 4, 8, 8, 8, 12], false, undefined],
  ['says nothing of some', [0, undefined, 8, undefined, 12], true, undefined],
  ['jumps by a minute in a broadcast', [0, 4, 6004, 6008], true, 0.04],
  ['pauses for a minute in a file', [0, 4, 6004, 6008], false, undefined],
  ['pauses for nine seconds in a broadcast', [0, 4, 904, 908], true, undefined],
])('a clock that %s', (_, times, isBroadcast, jump) => {
  expect(findClockJump(packetsAt(...times), timeBase, isBroadcast)).toBe(jump);
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
  expect(findClockJump([...recording(0), ...recording(12)], timeBase, true)).toBeUndefined();
  expect(findClockJump([...recording(0), ...recording(0)], timeBase, true)).toBe(0);
});
