import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countWithin,
  freeAtMs,
  hourMs,
  minuteMs,
  type SlidingWindow,
  addGrant,
  dropOldGrants,
} from '../../../contract/rate/sliding-window.ts';

function windowOf(...timesMs: number[]): SlidingWindow {
  return timesMs.reduce<SlidingWindow>(addGrant, []);
}

test.each<[string, SlidingWindow, number, number]>([
  ['nothing yet', windowOf(), 5_000, 0],
  ['several at one time', windowOf(1_000, 1_000, 1_000), 1_000, 3],
  ['one that is nearly a minute old', windowOf(1_000, 2_000), 60_999, 2],
  ['one that is exactly a minute old has left', windowOf(1_000, 2_000), 61_000, 1],
  ['all of them are older', windowOf(1_000, 2_000), 62_000, 0],
])('a window counts the grants of the last minute: %s', (_, window, nowMs, count) => {
  expect(countWithin(window, minuteMs, nowMs)).toBe(count);
});

test.each<[string, SlidingWindow, number, number]>([
  ['nothing yet', windowOf(), 3, 0],
  ['there is room', windowOf(1_000, 2_000), 3, 0],
  ['the oldest of three has to leave', windowOf(1_000, 2_000, 3_000), 3, 61_000],
  ['only the last three count', windowOf(1_000, 2_000, 3_000, 4_000), 3, 62_000],
  ['one at a time', windowOf(1_000, 2_000), 1, 62_000],
  ['several at one time', windowOf(1_000, 1_000, 5_000), 2, 61_000],
])('a window computes when one more grant fits the limit of a minute: %s', (_, window, limit, atMs) => {
  expect(freeAtMs(window, minuteMs, limit)).toBe(atMs);
});

test('a window forgets grants that are older than an hour', () => {
  const window = windowOf(1_000, 2_000, 3_000);
  expect(dropOldGrants(window, hourMs + 999)).toEqual(window);
  expect(dropOldGrants(window, hourMs + 2_000)).toEqual([[3_000, 1]]);
  expect(addGrant(window, hourMs + 9_000)).toEqual([[hourMs + 9_000, 1]]);
});

test('counts grants by whole seconds once a window has more than 2,000 entries', () => {
  const exact = windowOf(...Array.from({ length: 2_000 }, (_, ms) => ms));
  expect(exact).toHaveLength(2_000);
  const rounded = [2_100, 2_900, 3_000, 3_001].reduce<SlidingWindow>(addGrant, exact);
  expect(rounded.slice(2_000)).toEqual([
    [3_000, 3],
    [4_000, 1],
  ]);
  expect(countWithin(rounded, hourMs, 3_001)).toBe(2_004);
});

test('grants that wait until the window allows them never exceed the limit of any minute or hour', () => {
  const asks = fc.array(fc.oneof(fc.nat(2_000), fc.nat(90_000)), { maxLength: 150, size: 'max' });
  fc.assert(
    fc.property(asks, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 40 }), (pauses, perMinute, perHour) => {
      const times: number[] = [];
      let window: SlidingWindow = [];
      let nowMs = 0;
      for (const pause of pauses) {
        nowMs += pause;
        nowMs = Math.max(nowMs, freeAtMs(window, minuteMs, perMinute), freeAtMs(window, hourMs, perHour));
        window = addGrant(window, nowMs);
        times.push(nowMs);
      }
      expect(mostWithin(times, minuteMs)).toBeLessThanOrEqual(perMinute);
      expect(mostWithin(times, hourMs)).toBeLessThanOrEqual(perHour);
    }),
  );
});

test('grants that are counted by seconds also keep the limit', () => {
  const times: number[] = [];
  let window: SlidingWindow = [];
  let nowMs = 0;
  for (let grant = 0; grant < 6_000; grant += 1) {
    nowMs = Math.max(nowMs + 7, freeAtMs(window, minuteMs, 2_500));
    window = addGrant(window, nowMs);
    times.push(nowMs);
  }
  expect(mostWithin(times, minuteMs)).toBeLessThanOrEqual(2_500);
  // As many entries as fit into the payload with which the limiter continues as new.
  expect(window.length).toBeLessThan(2_000 + 3_600);
});

/** The most in any span: it is reached where a span begins with one. Times are in order. */
function mostWithin(times: readonly number[], spanMs: number): number {
  let most = 0;
  let first = 0;
  times.forEach((time, index) => {
    while ((times[first] ?? time) <= time - spanMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
