import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  recordCall,
  recordGrant,
  advanceBreaker,
  type Breaker,
  mayGrant,
} from '../../../../workflows/limiter/policy/breaker.ts';

const limits = { breakerFailures: 5, breakerSeconds: 60 };
const nowMs = 1_000_000;
const closed = (failuresInRow: number): Breaker => ({ kind: 'closed', failuresInRow });
const open: Breaker = { kind: 'open', untilMs: nowMs + 60_000 };
const probing: Breaker = { kind: 'probing', permitId: 'probe' };
const ready: Breaker = { kind: 'probing' };

type Outcome = Parameters<typeof recordCall>[2];

test.each<[string, Breaker, string, Outcome, Breaker]>([
  ['the first failure', closed(0), 'p', 'failed', closed(1)],
  ['the fourth in a row', closed(3), 'p', 'failed', closed(4)],
  ['the fifth in a row', closed(4), 'p', 'failed', open],
  ['a success resets the count', closed(4), 'p', 'ok', closed(0)],
  ['a rate limit does not count', closed(4), 'p', 'rate_limited', closed(4)],
  ['an unused permit does not count', closed(4), 'p', 'unused', closed(4)],
  ['a lost holder does not count', closed(4), 'p', 'lost', closed(4)],
  ['open: calls that began earlier do not count', open, 'p', 'ok', open],
  [
    'open: another failure does not prolong it',
    { kind: 'open', untilMs: 5 },
    'p',
    'failed',
    { kind: 'open', untilMs: 5 },
  ],
  ['the probe succeeds', probing, 'probe', 'ok', closed(0)],
  ['the probe is rate limited: the provider works', probing, 'probe', 'rate_limited', closed(0)],
  ['the probe fails', probing, 'probe', 'failed', open],
  ['the probe was not made: another follows', probing, 'probe', 'unused', ready],
  ['the probe is lost: another follows', probing, 'probe', 'lost', ready],
  ['another call succeeds while the probe is out', probing, 'p', 'ok', probing],
  ['another call fails while the probe is out', probing, 'p', 'failed', probing],
  ['a call fails before the probe is out', ready, 'p', 'failed', ready],
])('a breaker judges the outcome of a call: %s', (_, before, permitId, outcome, after) => {
  expect(recordCall(before, permitId, outcome, limits, nowMs)).toEqual(after);
});

test.each<[string, Breaker, number, Breaker]>([
  ['open, time not over', open, nowMs + 59_999, open],
  ['open, time over', open, nowMs + 60_000, ready],
  ['closed', closed(4), nowMs + 60_000, closed(4)],
  ['the probe is out', probing, nowMs + 60_000, probing],
])('a breaker changes with time only when its open time is over: %s', (_, before, atMs, after) => {
  expect(advanceBreaker(before, atMs)).toEqual(after);
});

test('a breaker allows only one probe at a time', () => {
  expect([closed(4), open, ready, probing].map(mayGrant)).toEqual([true, false, true, false]);
  expect(recordGrant(ready, 'probe')).toEqual(probing);
  expect(mayGrant(recordGrant(ready, 'probe'))).toBe(false);
  expect(recordGrant(closed(2), 'p')).toEqual(closed(2));
});

test('a breaker opens only at the fifth consecutive failure', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<Outcome>('ok', 'failed', 'rate_limited', 'unused', 'lost')), (outcomes) => {
      let breaker = closed(0);
      let inRow = 0;
      for (const outcome of outcomes) {
        breaker = recordCall(breaker, 'p', outcome, limits, nowMs);
        if (outcome === 'ok') inRow = 0;
        if (outcome === 'failed') inRow += 1;
        expect(breaker.kind).toBe(inRow >= 5 ? 'open' : 'closed');
        if (inRow >= 5) return;
      }
    }),
  );
});
