import { describe, expect, test } from 'vitest';
import { Autoscaler, scaling } from '../../../bench/day/autoscaler.ts';
import { policies, type Policy } from '../../../bench/day/policies.ts';
import { podStartSeconds, simulateDay } from '../../../bench/day/simulate.ts';
import { daySeconds, kinds, makeDay } from '../../../bench/day/workload.ts';

const pods = (count: number): Policy => ({ name: `${count}`, wanted: () => count });
const byNeed: Policy = { name: 'by need', wanted: ({ waiting, busy }) => waiting + busy };
const byBacklog: Policy = { name: 'by the backlog', wanted: ({ waiting }) => waiting };

describe('a simulated day', () => {
  test('counts waiting runs, busy pods and paid time', () => {
    const runs = [0, 0, 50].map((arrivesAt) => ({ arrivesAt, workSeconds: 100 }));
    const day = simulateDay(runs, pods(1), 1);
    // One after the other: at 0, at 100 and at 200.
    expect(day.waitSeconds).toEqual([0, 100, 150]);
    expect(day).toMatchObject({ busySeconds: 300, podSeconds: daySeconds, mostPods: 1, busyScaleIns: 0 });
    expect(day.course.slice(0, 6).map(({ busy, waiting }) => [busy, waiting])).toEqual([
      ...[
        [1, 1],
        [1, 2],
        [1, 1],
        [1, 1],
        [1, 0],
        [0, 0],
      ],
    ]);
  });

  test('makes the first run wait for a pod if none exists', () => {
    const { waitSeconds, podSeconds } = simulateDay([{ arrivesAt: 60, workSeconds: 30 }], byNeed, 1);
    expect(waitSeconds).toEqual([podStartSeconds]);
    // Until nobody has wanted it for ten minutes.
    expect(podSeconds).toBeGreaterThanOrEqual(30 + scaling.downWindowSeconds);
    expect(podSeconds).toBeLessThan(30 + scaling.downWindowSeconds + 3 * scaling.everySeconds + podStartSeconds);
  });

  test('lets a busy pod that is scaled in finish its job, and counts it', () => {
    const workSeconds = 2_000;
    const day = simulateDay([{ arrivesAt: 0, workSeconds }], byBacklog, 1);
    expect(day.busyScaleIns).toBe(1);
    expect(day.busySeconds).toBe(workSeconds);
    expect(day.busyScaleInSeconds).toBeLessThan(workSeconds);
    expect(simulateDay([{ arrivesAt: 0, workSeconds }], byNeed, 1).busyScaleIns).toBe(0);
  });

  test('repeats a day for one seed, loses no run, and scales in fewer busy pods if they are counted', () => {
    const runs = makeDay(300, 7);
    expect(makeDay(300, 7)).toEqual(runs);
    expect(makeDay(300, 8)).not.toEqual(runs);
    const [, backlog, both] = policies.map((policy) => simulateDay(runs, policy, 7));
    for (const day of [backlog, both]) {
      expect(day?.waitSeconds).toHaveLength(runs.length);
      expect(Math.min(...(day?.waitSeconds ?? []))).toBeGreaterThanOrEqual(0);
      expect(day?.mostPods).toBeLessThanOrEqual(scaling.mostPods + (day?.busyScaleIns ?? 0));
    }
    expect(both?.busyScaleIns).toBeLessThan((backlog?.busyScaleIns ?? 0) / 2);
  });

  test('has shares that add up to one, and half of the runs around nine', () => {
    expect(kinds.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    const runs = makeDay(1_000, 3);
    const inPeak = runs.filter(({ arrivesAt }) => Math.abs(arrivesAt / 3_600 - 9) < 2).length;
    expect(inPeak).toBeGreaterThan(500);
    expect(inPeak).toBeLessThan(700);
  });
});

describe('the autoscaler', () => {
  test('scales up by doubling or by four, up to its maximum', () => {
    const autoscaler = new Autoscaler();
    const steps = [0, 4, 8, 16, 20];
    for (const [index, current] of steps.entries()) {
      expect(autoscaler.decide(index * 15, current, 1_000)).toBe(steps[index + 1] ?? scaling.mostPods);
    }
  });

  test('scales down by one pod a minute, ten minutes after the work has ended', () => {
    const autoscaler = new Autoscaler();
    let current = autoscaler.decide(0, 3, 3);
    const downAt: number[] = [];
    for (let now = 15; current > 0 && now < 3_600; now += 15) {
      const next = autoscaler.decide(now, current, 0);
      if (next < current) downAt.push(now);
      current = next;
    }
    expect(downAt).toEqual([600, 660, 720]);
  });
});
