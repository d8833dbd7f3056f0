import { expect, test } from 'vitest';
import { type ReportedOutcome, SimulatedLimiter, startMs, wideLimits } from '../../support/simulated-limiter.ts';

const refused: ReportedOutcome = { kind: 'unauthorized', message: 'Incorrect API key' };

const suspended = () =>
  new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) })
    .request('a', 'a1', 'a2', 'a3')
    .request('b', 'b1')
    .report('a', 'a1', refused);

test('suspends a rejected key for 300 s, and shows the words of the provider only to operators', () => {
  const limiter = suspended();
  expect(limiter.granted).toBe('a1 a2');
  const reason =
    'unauthorized: The provider rejects this key or is not trusted. Operators see its answer in the state of the limiter.';
  const throttle = { untilMs: startMs + 300_000, reason, unauthorized: true };
  expect(limiter.updateTo('a')?.throttle).toEqual(throttle);
  expect(limiter.updateTo('b')?.throttle).toEqual(throttle);
  expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
    throttled: true,
    throttle_reason: 'unauthorized: Incorrect API key',
  });
});

test('does not suspend a rejected key longer because of concurrent calls', () => {
  const limiter = suspended();
  limiter.nowMs += 5_000;
  limiter.report('a', 'a2', refused);
  expect(limiter.eventsOf('throttled')).toHaveLength(1);
  expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(startMs + 300_000);
});

test.each([
  [3_600, 3_600],
  [60, 300],
])('keeps a suspension of %i s for %i s if a call that began before it is rejected', (seconds, left) => {
  const limiter = new SimulatedLimiter({ limits: wideLimits() }).request('a', 'a1');
  limiter.rateLimiter.overrideThrottle(seconds, 'maintenance', startMs);
  limiter.report('a', 'a1', refused).request('a', 'a2');
  const untilMs = startMs + left * 1000;
  expect(limiter.updateTo('a')?.throttle).toMatchObject({ untilMs, unauthorized: true });
  expect(limiter.eventsOf('throttled').at(-1)).toMatchObject({ seconds: left });
});

test('tries a rejected key with one call after the suspension, whose outcome opens or suspends the key', () => {
  const limiter = suspended().report('a', 'a2').after(300);
  expect(limiter.granted).toBe('a1 a2 a3');
  limiter.report('a', 'a3', refused).after(299.999);
  expect(limiter.granted).toBe('a1 a2 a3');
  limiter.after(0.001).request('b', 'b2', 'b3');
  expect(limiter.granted).toBe('a1 a2 a3 b1');
  limiter.report('b', 'b1');
  expect(limiter.granted).toBe('a1 a2 a3 b1 b2 b3');
});

test('opens a rejected key at once when an operator resumes it', () => {
  const limiter = suspended();
  limiter.rateLimiter.overrideResume();
  expect(limiter.advance().granted).toBe('a1 a2 a3');
});
