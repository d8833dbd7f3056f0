import { expect, test } from 'vitest';
import { ProviderLimits } from '../../../../contract/provider.ts';
import {
  type Decision,
  decide,
  bucketLimits,
  type LimiterSituation,
} from '../../../../workflows/limiter/policy/admission.ts';
import { closedBreaker } from '../../../../workflows/limiter/policy/breaker.ts';
import { hourMs, type SlidingWindow } from '../../../../workflows/limiter/policy/sliding-window.ts';

const limits = ProviderLimits.parse({});
const nowMs = 10_000_000;
const open: LimiterSituation = {
  ...{ nowMs, limits, inUse: 0, window: [] },
  ...{ bucket: { tokens: 10, atMs: nowMs }, breaker: closedBreaker },
};
const throttledUntilMs = nowMs + 900_000;
const fifty: SlidingWindow = [
  [nowMs - 59_000, 1],
  [nowMs - 1_000, 49],
];
const thousand: SlidingWindow = [
  [nowMs - hourMs + 5_000, 1],
  [nowMs - 120_000, 999],
];
const empty = { tokens: 0, atMs: nowMs };

test.each<[string, Partial<LimiterSituation>, Decision]>([
  ['nothing limits it', {}, { kind: 'grant' }],
  ['the fifth permit is free', { inUse: 4 }, { kind: 'grant' }],
  ['five are in use', { inUse: 5 }, { kind: 'wait', reason: 'permits' }],
  ['more are in use than the limit, since it was lowered', { inUse: 7 }, { kind: 'wait', reason: 'permits' }],
  ['it is throttled', { throttledUntilMs }, { kind: 'wait', reason: 'throttled', untilMs: throttledUntilMs }],
  ['its throttle is just over', { throttledUntilMs: nowMs }, { kind: 'grant' }],
  [
    'its breaker is open',
    { breaker: { kind: 'open', untilMs: nowMs + 1 } },
    { kind: 'wait', reason: 'breaker', untilMs: nowMs + 1 },
  ],
  ['its breaker lets a probe through', { breaker: { kind: 'probing' } }, { kind: 'grant' }],
  [
    'its breaker waits for the probe',
    { breaker: { kind: 'probing', permitId: 'p-1' } },
    { kind: 'wait', reason: 'breaker' },
  ],
  ['the 50th of a minute is free', { window: fifty.slice(1) }, { kind: 'grant' }],
  ['50 went in a minute', { window: fifty }, { kind: 'wait', reason: 'rate', untilMs: nowMs + 1_000 }],
  ['1,000 went in an hour', { window: thousand }, { kind: 'wait', reason: 'rate', untilMs: nowMs + 5_000 }],
  ['the burst is used up', { bucket: empty }, { kind: 'wait', reason: 'burst', untilMs: nowMs + 1_200 }],
  [
    'a throttle outlasts all else',
    { throttledUntilMs, inUse: 5, window: fifty, bucket: empty },
    { kind: 'wait', reason: 'throttled', untilMs: throttledUntilMs },
  ],
  ['a permit comes before the rate', { inUse: 5, window: fifty, bucket: empty }, { kind: 'wait', reason: 'permits' }],
])('%s', (_, situation, expected) => {
  expect(decide({ ...open, ...situation })).toEqual(expected);
});

test('both windows count: it waits for the later of them', () => {
  const window: SlidingWindow = [
    [nowMs - hourMs + 90_000, 950],
    [nowMs - 30_000, 50],
  ];
  expect(decide({ ...open, window })).toEqual({ kind: 'wait', reason: 'rate', untilMs: nowMs + 90_000 });
});

test('whoever comes back at the time that it named is let in', () => {
  for (const waiting of [{ throttledUntilMs }, { window: fifty }, { window: thousand }]) {
    const first = decide({ ...open, ...waiting });
    const atMs = first.kind === 'wait' ? (first.untilMs ?? 0) : 0;
    expect(decide({ ...open, ...waiting, nowMs: atMs })).toEqual({ kind: 'grant' });
    expect(decide({ ...open, ...waiting, nowMs: atMs - 1 })).toMatchObject({ kind: 'wait' });
  }
});

test('bursts refill at the rate that the minute allows', () => {
  expect(bucketLimits(limits)).toEqual({ burstLimit: 10, refillPerSecond: 50 / 60 });
});
