import { expect, test } from 'vitest';
import { packState } from '../../../workflows/limiter/packed-state.ts';
import { holder, SimulatedLimiter, wideLimits } from '../../support/simulated-limiter.ts';

/** The server's limit for a payload. */
const payloadBytes = 2 * 1024 * 1024;
const runs = 20_000;
/** Permits that a run with 100 chunks requests at once. */
const requests = Array.from({ length: 20 }, (_, chunk) => `${chunk}.1`);

function nameOf(run: number): string {
  return `0199${String(run).padStart(8, '0')}-7a3c-7d11-9c5e-2f6b8a0d4e17`.slice(-36);
}

function stateBytes(limiter: SimulatedLimiter): number {
  return Buffer.byteLength(JSON.stringify(packState(limiter.rateLimiter.state())));
}

// Takes about eight seconds of CPU. Only this many messages show that each has the same cost.
test('queues 20,000 waiting runs or refuses them with a message, and keeps the state within a payload', () => {
  const throttle = { day: 86_400, rps: 60, other: 900 };
  const limits = wideLimits({ maxConcurrent: 5, requestsPerMinute: 1_000, requestsPerHour: 10_000 });
  const limiter = new SimulatedLimiter({ limits, throttle });
  // Fills the hourly window as far as possible.
  limiter.request('first', '0.1');
  for (let call = 1; call < 3_000; call += 1) {
    limiter.nowMs += 1_190;
    limiter.report('first', `${call - 1}.1`).request('first', `${call}.1`);
  }
  limiter.report('first', '2999.1', { kind: 'rate_limited', message: 'Tokens per day limit exceeded' });

  const refused: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    limiter.request(nameOf(run), ...requests);
    const update = limiter.updateTo(nameOf(run));
    if (update?.refused !== undefined) refused.push(update.refused);
    else if (update?.waiting !== 20 || update.throttle === undefined)
      expect(update).toBe('an update with its throttle');
  }
  expect(refused.length).toBeLessThan(runs / 2);
  expect(refused[0]).toMatch(/^The queue of limiter test\/model is full: \d+ runs are waiting\. /);
  expect(limiter.waiting).toBe(20 * (runs - refused.length));
  expect(stateBytes(limiter)).toBeLessThan(0.9 * payloadBytes);

  // All runs must learn that the throttle has ended; the updates go out in batches.
  limiter.rateLimiter.overrideResume();
  expect(limiter.rateLimiter.advance(limiter.nowMs, 500)).toHaveLength(500);
  expect(limiter.rateLimiter.hasUpdates).toBe(true);
  expect(stateBytes(limiter)).toBeLessThan(0.9 * payloadBytes);
  limiter.continueAsNew().advance();
  expect(limiter.rateLimiter.hasUpdates).toBe(false);
  expect(limiter.updateTo(nameOf(runs / 4))).toMatchObject({ waiting: 20 });

  // Holders that leave make room.
  limiter.send(holder(nameOf(0)), { leaves: true }).send(holder(nameOf(1)), { leaves: true });
  limiter.request('late', ...requests);
  expect(limiter.updateTo('late')).toMatchObject({ waiting: 20 });
  expect(limiter.updateTo('late')).not.toHaveProperty('refused');
});
