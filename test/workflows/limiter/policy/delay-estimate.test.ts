import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProviderLimits } from '../../../../contract/provider.ts';
import {
  estimateGrantsMs,
  expectedGrantMs,
  type QueueFacts,
} from '../../../../workflows/limiter/policy/delay-estimate.ts';

const nowMs = 10_000_000;
/** Limits so wide that only those set by a row apply. */
const wide = ProviderLimits.parse({
  maxConcurrent: 1_000,
  requestsPerMinute: 60_000,
  requestsPerHour: 1_000_000,
  burstLimit: 1_000,
});
const idle: QueueFacts = {
  nowMs,
  limits: wide,
  permitsBackAtMs: [],
  window: [],
  bucket: { tokens: 1_000, atMs: nowMs },
  closedUntilMs: 0,
  callMs: 10_000,
};

/** Expected times of this many grants, in seconds from now. */
function estimateSeconds(count: number, queue: Partial<QueueFacts> = {}): number[] {
  return estimateGrantsMs({ ...idle, ...queue }, count).map((ms) => (ms - nowMs) / 1000);
}

test.each<[string, number, Partial<QueueFacts>, number[]]>([
  ['nobody waits', 0, {}, []],
  ['nothing limits them', 3, {}, [0, 0, 0]],
  ['two at a time, 10 s each', 5, { limits: { ...wide, maxConcurrent: 2 } }, [0, 0, 10, 10, 20]],
  [
    'after the permits in use return',
    3,
    { limits: { ...wide, maxConcurrent: 2 }, permitsBackAtMs: [nowMs + 7_000, nowMs + 3_000] },
    [3, 7, 13],
  ],
  ['a permit that is overdue', 2, { limits: { ...wide, maxConcurrent: 1 }, permitsBackAtMs: [nowMs - 5_000] }, [0, 10]],
  [
    'more permits in use than a lowered limit allows',
    2,
    { limits: { ...wide, maxConcurrent: 1 }, permitsBackAtMs: [nowMs + 3_000, nowMs + 7_000] },
    [7, 17],
  ],
  ['two a minute', 5, { limits: { ...wide, requestsPerMinute: 2 } }, [0, 0, 60, 60, 120]],
  [
    'two a minute, one of them 20 s ago',
    3,
    { limits: { ...wide, requestsPerMinute: 2 }, window: [[nowMs - 20_000, 1]] },
    [0, 40, 60],
  ],
  ['three an hour', 4, { limits: { ...wide, requestsPerHour: 3 } }, [0, 0, 0, 3_600]],
  [
    'a burst of two, then one a second',
    4,
    { limits: { ...wide, requestsPerMinute: 60, burstLimit: 2 }, bucket: { tokens: 2, atMs: nowMs } },
    [0, 0, 1, 2],
  ],
  ['throttled for 900 s', 2, { closedUntilMs: nowMs + 900_000 }, [900, 900]],
  ['a throttle that has ended', 2, { closedUntilMs: nowMs - 1 }, [0, 0]],
])('expects grants as soon as the limits allow them: %s', (_, count, queue, seconds) => {
  expect(estimateSeconds(count, queue)).toEqual(seconds.map((each) => expect.closeTo(each, 2) as number));
});

test('the default settings expect a burst of five, the maximum of permits, and 1,000 grants in the first hour', () => {
  const limits = ProviderLimits.parse({});
  const bucket = { tokens: 10, atMs: nowMs };
  const seconds = estimateSeconds(1_001, { limits, bucket, callMs: 2_000 });
  expect(seconds.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 2]);
  // The first minute has room for 50 grants.
  expect(seconds[49]).toBeLessThan(60);
  expect(seconds[50]).toBeGreaterThanOrEqual(60);
  expect(seconds[1_000]).toBe(3_600);
});

test('extrapolates the last of very many grants at the average pace', () => {
  const simulated = estimateGrantsMs({ ...idle, limits: { ...wide, maxConcurrent: 1 }, callMs: 1_000 }, 6_000);
  const secondsAt = (place: number) => ((expectedGrantMs(simulated, place, nowMs) ?? 0) - nowMs) / 1000;
  expect(simulated).toHaveLength(1_500);
  expect(secondsAt(999)).toBe(999);
  expect(secondsAt(5_999)).toBeCloseTo(5_994, -1);
});

test('never expects a grant in the past or before the previous one, whatever the limits', () => {
  const limits = fc.record({
    maxConcurrent: fc.integer({ min: 1, max: 10 }),
    requestsPerMinute: fc.integer({ min: 1, max: 200 }),
    requestsPerHour: fc.integer({ min: 1, max: 2_000 }),
    burstLimit: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(limits, fc.array(fc.nat(120_000), { maxLength: 12 }), fc.nat(60_000), (own, back, callMs) => {
      const queue = { ...idle, limits: { ...wide, ...own }, callMs, permitsBackAtMs: back.map((ms) => nowMs + ms) };
      const times = estimateGrantsMs(queue, 60);
      expect(times).toHaveLength(60);
      times.forEach((time, index) => expect(time).toBeGreaterThanOrEqual(times[index - 1] ?? nowMs));
    }),
  );
});
