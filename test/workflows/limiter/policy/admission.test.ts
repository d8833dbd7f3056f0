import { expect, test } from 'vitest';
import { ProviderLimits } from '../../../../contract/provider.ts';
import {
  type Decision,
  decide,
  bucketLimits,
  type LimiterSituation,
} from '../../../../workflows/limiter/policy/admission.ts';
import { closedBreaker } from '../../../../workflows/limiter/policy/breaker.ts';
import { hourMs, type SlidingWindow } from '../../../../contract/rate/sliding-window.ts';

const limits = ProviderLimits.parse({});
const nowMs = 10_000_000;
const open: LimiterSituation = {
  nowMs,
  limits,
  inUse: 0,
  window: [],
  bucket: { tokens: 10, atMs: nowMs },
  breaker: closedBreaker,
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

test.each<[string, Partial<LimiterSituation>]>([
  ['nothing limits it', {}],
  ['the fifth permit is free', { inUse: 4 }],
  ['its throttle has just ended', { throttledUntilMs: nowMs }],
  ['its breaker lets a probe through', { breaker: { kind: 'probing' } }],
  ['the minute has room for a 50th request', { window: fifty.slice(1) }],
])('grants a request if %s', (_, situation) => {
  expect(decide({ ...open, ...situation })).toEqual({ kind: 'grant' });
});

test.each<[string, Partial<LimiterSituation>, Omit<Extract<Decision, { kind: 'wait' }>, 'kind'>]>([
  ['five permits are in use', { inUse: 5 }, { reason: 'permits' }],
  ['more permits are in use than a lowered limit allows', { inUse: 7 }, { reason: 'permits' }],
  ['the key is throttled', { throttledUntilMs }, { reason: 'throttled', untilMs: throttledUntilMs }],
  ['the breaker is open', { breaker: { kind: 'open', untilMs: nowMs + 1 } }, { reason: 'breaker', untilMs: nowMs + 1 }],
  ['the breaker waits for its probe', { breaker: { kind: 'probing', permitId: 'p-1' } }, { reason: 'breaker' }],
  ['50 were granted in a minute', { window: fifty }, { reason: 'rate', untilMs: nowMs + 1_000 }],
  ['1,000 were granted in an hour', { window: thousand }, { reason: 'rate', untilMs: nowMs + 5_000 }],
  ['the burst is used up', { bucket: empty }, { reason: 'burst', untilMs: nowMs + 1_200 }],
  [
    'a throttle outlasts all else',
    { throttledUntilMs, inUse: 5, window: fifty, bucket: empty },
    { reason: 'throttled', untilMs: throttledUntilMs },
  ],
  ['no permit is free, whatever the rate', { inUse: 5, window: fifty, bucket: empty }, { reason: 'permits' }],
])('lets a request wait if %s', (_, situation, expected) => {
  expect(decide({ ...open, ...situation })).toEqual({ kind: 'wait', ...expected });
});

test('lets a request wait for the later of both windows', () => {
  const window: SlidingWindow = [
    [nowMs - hourMs + 90_000, 950],
    [nowMs - 30_000, 50],
  ];
  expect(decide({ ...open, window })).toEqual({ kind: 'wait', reason: 'rate', untilMs: nowMs + 90_000 });
});

test('grants a request exactly at the announced time', () => {
  for (const waiting of [{ throttledUntilMs }, { window: fifty }, { window: thousand }]) {
    const first = decide({ ...open, ...waiting });
    const atMs = first.kind === 'wait' ? (first.untilMs ?? 0) : 0;
    expect(decide({ ...open, ...waiting, nowMs: atMs })).toEqual({ kind: 'grant' });
    expect(decide({ ...open, ...waiting, nowMs: atMs - 1 })).toMatchObject({ kind: 'wait' });
  }
});

test('tokens refill at the rate per minute', () => {
  expect(bucketLimits(limits)).toEqual({ burstLimit: 10, refillPerSecond: 50 / 60 });
});
