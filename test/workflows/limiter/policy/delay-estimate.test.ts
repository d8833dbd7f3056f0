import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProviderLimits } from '../../../../contract/provider.ts';
import {
  estimateGrantsMs,
  expectedGrantMs,
  type QueueFacts,
} from '../../../../workflows/limiter/policy/delay-estimate.ts';

const nowMs = 10_000_000;
/** Only the limits that a row sets apply. */
const wide = ProviderLimits.parse({
  ...{ maxConcurrent: 1_000, requestsPerMinute: 60_000, requestsPerHour: 1_000_000, burstLimit: 1_000 },
});
const idle: QueueFacts = {
  ...{ nowMs, limits: wide, permitsBackAtMs: [], window: [] },
  ...{ bucket: { tokens: 1_000, atMs: nowMs }, closedUntilMs: 0, callMs: 10_000 },
};

/** Of so many grants, in seconds from now. */
function estimateSeconds(count: number, queue: Partial<QueueFacts> = {}): number[] {
  return estimateGrantsMs({ ...idle, ...queue }, count).map((ms) => (ms - nowMs) / 1000);
}

test.each<[string, number, Partial<QueueFacts>, number[]]>([
  ['nobody waits', 0, {}, []],
  ['nothing limits them', 3, {}, [0, 0, 0]],
  ['two at a time, 10 s each', 5, { limits: { ...wide, maxConcurrent: 2 } }, [0, 0, 10, 10, 20]],
  [
    'the permits in use come back first',
    3,
    { limits: { ...wide, maxConcurrent: 2 }, permitsBackAtMs: [nowMs + 7_000, nowMs + 3_000] },
    [3, 7, 13],
  ],
  [
    'a permit that should be back already',
    2,
    { limits: { ...wide, maxConcurrent: 1 }, permitsBackAtMs: [nowMs - 5_000] },
    [0, 10],
  ],
  [
    'more are in use than the limit, since it was lowered',
    2,
    { limits: { ...wide, maxConcurrent: 1 }, permitsBackAtMs: [nowMs + 3_000, nowMs + 7_000] },
    [7, 17],
  ],
  ['two a minute', 5, { limits: { ...wide, requestsPerMinute: 2 } }, [0, 0, 60, 60, 120]],
  [
    'two a minute, of which one went 20 s ago',
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
  ['a throttle that is over', 2, { closedUntilMs: nowMs - 1 }, [0, 0]],
])('grants are expected as soon as the limits allow them: %s', (_, count, queue, seconds) => {
  expect(estimateSeconds(count, queue)).toEqual(seconds.map((each) => expect.closeTo(each, 2) as number));
});

test('at the defaults a burst of five is expected, since no more permits are in use at once, and 1,000 in the first hour', () => {
  const limits = ProviderLimits.parse({});
  const bucket = { tokens: 10, atMs: nowMs };
  const seconds = estimateSeconds(1_001, { limits, bucket, callMs: 2_000 });
  expect(seconds.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 2]);
  // 50 in the first minute, the next one after it.
  expect(seconds[49]).toBeLessThan(60);
  expect(seconds[50]).toBeGreaterThanOrEqual(60);
  expect(seconds[1_000]).toBe(3_600);
});

test('where very many requests wait, the last are expected at the average pace of those before', () => {
  const simulated = estimateGrantsMs({ ...idle, limits: { ...wide, maxConcurrent: 1 }, callMs: 1_000 }, 6_000);
  const secondsAt = (place: number) => ((expectedGrantMs(simulated, place, nowMs) ?? 0) - nowMs) / 1000;
  expect(simulated).toHaveLength(1_500);
  expect(secondsAt(999)).toBe(999);
  expect(secondsAt(5_999)).toBeCloseTo(5_994, -1);
});

test('under no limits is a grant expected in the past, nor before the one ahead of it', () => {
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
