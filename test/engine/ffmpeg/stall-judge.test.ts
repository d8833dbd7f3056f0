import { describe, expect, test } from 'vitest';
import type { GroupUse } from '../../../engine/ffmpeg/process-activity.ts';
import { createStallJudge, type StallLook } from '../../../engine/ffmpeg/stall-judge.ts';

const limitSeconds = 30;

interface Second {
  isAsleep?: boolean;
  cpuSeconds?: number;
  ioBytes?: number;
  /** False if the system reports no activity. */
  isReported?: boolean;
  hasMoved?: boolean;
}

const useOf = ({ isAsleep = false, cpuSeconds = 0, ioBytes = 0 }: Second): GroupUse =>
  new Map([[7, { isAsleep, cpuSeconds, ioBytes }]]);

/** Second at which a process is ended that is checked each second, and the seconds of its standstill. */
function endOf(at: (second: number) => Second, isPiped = false): [at: number, seconds: number] | undefined {
  const judge = createStallJudge(limitSeconds, 0, isPiped);
  for (let second = 1; second <= 300; second += 1) {
    const found = at(second);
    const { hasMoved = false, isReported = true } = found;
    const look: StallLook = { nowMs: second * 1000, hasMoved, use: isReported ? useOf(found) : undefined };
    const seconds = judge(look);
    if (seconds !== undefined) return [second, seconds];
  }
  return undefined;
}

describe('a process whose media clock stands still', () => {
  test('is ended after a fifth of the limit if it sleeps at every check', () => {
    expect(endOf(() => ({ isAsleep: true }))).toEqual([7, 6]);
  });

  test('is ended after the whole limit if it waits for a disk or a core', () => {
    expect(endOf(() => ({ isAsleep: false }))).toEqual([31, 30]);
  });

  test('is ended after the whole limit if one check in five finds it awake', () => {
    expect(endOf((second) => ({ isAsleep: second % 5 !== 0 }))).toEqual([31, 30]);
  });

  test('is ended after the whole limit if it may wait for another process', () => {
    expect(endOf(() => ({ isAsleep: true }), true)).toEqual([31, 30]);
  });

  test('is ended after the whole limit if the system does not report its activity', () => {
    expect(endOf(() => ({ isReported: false }))).toEqual([30, 30]);
  });

  test('is ended a fifth of the limit after it has fallen asleep', () => {
    expect(endOf((second) => ({ isAsleep: second > 10, cpuSeconds: Math.min(second, 10) }))).toEqual([17, 6]);
  });

  test('goes on while it computes, although every check finds it asleep', () => {
    expect(endOf((second) => ({ isAsleep: true, cpuSeconds: second * 0.03 }))).toBeUndefined();
  });

  test('goes on while it reads or writes, although every check finds it asleep', () => {
    expect(endOf((second) => ({ isAsleep: true, ioBytes: second * 40_000 }))).toBeUndefined();
  });
});

test('a process whose media clock moves every five seconds goes on, although it sleeps in between', () => {
  expect(endOf((second) => ({ isAsleep: true, hasMoved: second % 5 === 0 }))).toBeUndefined();
});

test('a process that sleeps after its last progress is ended a fifth of the limit later', () => {
  expect(endOf((second) => ({ isAsleep: true, hasMoved: second <= 100 }))).toEqual([107, 6]);
});

test('a sleeping process has at least five seconds, however short the limit is', () => {
  const judge = createStallJudge(8, 0);
  const ends = [1, 2, 3, 4, 5, 6].map((second) =>
    judge({ nowMs: second * 1000, hasMoved: false, use: useOf({ isAsleep: true }) }),
  );
  expect(ends).toEqual([undefined, undefined, undefined, undefined, undefined, 5]);
});
