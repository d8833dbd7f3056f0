import { expect, test } from 'vitest';
import { startMs, type ReportedOutcome, SimulatedLimiter, wideLimits } from '../../support/simulated-limiter.ts';

const limited = (message: string): ReportedOutcome => ({ kind: 'rate_limited', message });
const throttle = { day: 86_400, rps: 60, other: 900 };

test.each([
  ['tokens per day limit exceeded', undefined, 86_400],
  ['Requests per minute limit exceeded', undefined, 60],
  ['slow down', undefined, 900],
  ['slow down', 1_000, 1_000],
])('after the message %j and a retry-after of %s s, a throttle lasts %i s', (message, retryAfterSeconds, seconds) => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }), throttle })
    .request('a', 'a1')
    .request('b', 'b1', 'b2');
  limiter.report('a', 'a1', { kind: 'rate_limited', message, retryAfterSeconds });
  const untilMs = startMs + seconds * 1000;
  for (const name of ['a', 'b']) expect(limiter.updateTo(name)?.throttle).toEqual({ untilMs, reason: message });
  limiter.report('b', 'b1');
  expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
    throttled: true,
    throttle_reason: message,
    throttle_until: new Date(untilMs).toISOString(),
  });
  limiter.after(seconds - 0.001);
  expect(limiter.granted).toBe('a1 b1');
  expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(untilMs);
  limiter.after(0.001);
  expect(limiter.granted).toBe('a1 b1 b2');
  // A holder that moved to another key learns of the end too.
  expect(limiter.updateTo('a')).toMatchObject({ waiting: 0 });
  expect(limiter.updateTo('a')?.throttle).toBeUndefined();
  expect(limiter.eventsOf('resumed')).toEqual([{ kind: 'resumed', override: false }]);
});

test('the longest throttle reported by several calls applies', () => {
  const limiter = new SimulatedLimiter({ throttle }).request('a', 'a1', 'a2', 'a3');
  limiter.report('a', 'a1', limited('slow down')).report('a', 'a2', limited('requests per second limit exceeded'));
  expect(limiter.updateTo('a')?.throttle).toEqual({ untilMs: startMs + 900_000, reason: 'slow down' });
  limiter.report('a', 'a3', limited('tokens per day limit exceeded'));
  expect(limiter.updateTo('a')?.throttle?.untilMs).toBe(startMs + 86_400_000);
});

test('a holder without waiting requests learns that the throttle has ended', () => {
  const limiter = new SimulatedLimiter({ throttle }).request('a', 'a1').report('a', 'a1', limited('slow down'));
  expect(limiter.waiting).toBe(0);
  expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(startMs + 900_000);
  limiter.after(900);
  expect(limiter.updateTo('a')).toMatchObject({ key: 'test/model', waiting: 0 });
  expect(limiter.updateTo('a')?.throttle).toBeUndefined();
});

test('a key without throttle settings is never throttled', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) })
    .request('a', 'a1')
    .request('b', 'b1');
  limiter.report('a', 'a1', limited('tokens per day limit exceeded'));
  expect(limiter.granted).toBe('a1 b1');
  expect(limiter.rateLimiter.stats(limiter.nowMs).throttled).toBe(false);
  expect(limiter.eventsOf('rate_limited')).toHaveLength(1);
});

test('an operator begins and ends a throttle', () => {
  const limiter = new SimulatedLimiter().request('a', 'a1');
  limiter.rateLimiter.overrideThrottle(3_600, 'maintenance', limiter.nowMs);
  limiter.request('b', 'b1');
  expect(limiter.granted).toBe('a1');
  expect(limiter.updateTo('b')?.throttle).toEqual({ untilMs: startMs + 3_600_000, reason: 'maintenance' });
  limiter.after(60);
  limiter.rateLimiter.overrideResume();
  limiter.advance();
  expect(limiter.granted).toBe('a1 b1');
  expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
    throttled: false,
    throttle_until: null,
    throttle_reason: null,
  });
  expect(limiter.eventsOf('resumed')).toEqual([{ kind: 'resumed', override: true }]);
});

test('an operator’s limits override the settings until they are reset', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 3 }) }).request(
    'a',
    'a1',
    'a2',
    'a3',
    'a4',
  );
  limiter.rateLimiter.setLimits({ maxConcurrent: 1, requestsPerHour: 7 });
  limiter.report('a', 'a1').report('a', 'a2');
  // The settings in each message do not change the override.
  expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
    max_concurrent: 1,
    limit_per_hour: 7,
    waiting: 1,
  });
  limiter.rateLimiter.setLimits({ maxConcurrent: null });
  limiter.advance();
  expect(limiter.granted).toBe('a1 a2 a3 a4');
  expect(limiter.rateLimiter.details(limiter.nowMs)).toMatchObject({
    override: { requestsPerHour: 7 },
    limits: { maxConcurrent: 3 },
  });
  expect(limiter.eventsOf('limits_set').map(({ override }) => override)).toEqual([
    { maxConcurrent: 1, requestsPerHour: 7 },
    { requestsPerHour: 7 },
  ]);
});
