import { expect, test } from 'vitest';
import { startMs, holder, type ReportedOutcome, SimulatedLimiter } from '../../support/simulated-limiter.ts';

const failed: ReportedOutcome = { kind: 'failed', message: 'down' };

function openBreaker(): SimulatedLimiter {
  const limiter = new SimulatedLimiter().request('a', 'a1', 'a2', 'a3', 'a4', 'a5');
  for (const request of ['a1', 'a2', 'a3', 'a4', 'a5']) limiter.report('a', request, failed);
  return limiter;
}

test('the breaker opens for 60 s after five failures in a row, then allows one call', () => {
  const limiter = openBreaker();
  expect(limiter.eventsOf('breaker_opened')).toEqual([{ kind: 'breaker_opened', seconds: 60, message: 'down' }]);
  limiter.request('c', 'c1', 'c2').after(59.999);
  expect(limiter.granted).toBe('a1 a2 a3 a4 a5');
  expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(startMs + 60_000);
  limiter.after(0.001);
  expect(limiter.granted).toBe('a1 a2 a3 a4 a5 c1');
  limiter.after(30);
  expect(limiter.granted).toBe('a1 a2 a3 a4 a5 c1');
  limiter.report('c', 'c1');
  expect(limiter.granted).toBe('a1 a2 a3 a4 a5 c1 c2');
  expect(limiter.eventsOf('breaker_closed')).toHaveLength(1);
});

test('the breaker opens again when its probe fails', () => {
  const limiter = openBreaker().request('c', 'c1', 'c2').after(60).report('c', 'c1', failed);
  expect(limiter.rateLimiter.details(limiter.nowMs).breaker).toEqual({
    state: 'open',
    failuresInRow: 5,
    until: new Date(startMs + 120_000).toISOString(),
  });
  expect(() => limiter.permitOf('c', 'c2')).toThrow('nothing was granted');
  expect(limiter.after(60).permitOf('c', 'c2')).toBeDefined();
});

test.each<[string, (limiter: SimulatedLimiter) => void]>([
  ['the permit expires', (limiter) => limiter.after(120)],
  ['the holder leaves', (limiter) => limiter.send(holder('c'), { leaves: true })],
  ['the holder is lost', (limiter) => limiter.rateLimiter.dropLostHolder(holder('c'), limiter.nowMs)],
  ['the request is withdrawn', (limiter) => limiter.send(holder('c'), { withdrawals: ['c1'] })],
  ['the permit was not used', (limiter) => limiter.report('c', 'c1', { kind: 'unused' })],
])('the breaker allows another probe if %s', (_, end) => {
  const limiter = openBreaker().request('c', 'c1').request('d', 'd1', 'd2').after(60);
  end(limiter);
  limiter.advance();
  expect(limiter.permitOf('d', 'd1')).toBeDefined();
  expect(() => limiter.permitOf('d', 'd2')).toThrow('nothing was granted');
});

test('an operator who resumes the key closes the breaker', () => {
  const limiter = openBreaker().request('c', 'c1');
  limiter.rateLimiter.overrideResume();
  expect(limiter.advance().permitOf('c', 'c1')).toBeDefined();
  expect(limiter.eventsOf('breaker_closed')).toHaveLength(1);
});
