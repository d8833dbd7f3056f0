import { expect, test } from 'vitest';
import { packState } from '../../../workflows/limiter/packed-state.ts';
import { holder, SimulatedLimiter, wideLimits } from '../../support/simulated-limiter.ts';

/** What the server takes of a payload. */
const payloadBytes = 2 * 1024 * 1024;
const runs = 20_000;
/** Of 100 chunks a run requests permits for so many at once, at five in use. */
const requests = Array.from({ length: 20 }, (_, chunk) => `${chunk}.1`);

function nameOf(run: number): string {
  return `0199${String(run).padStart(8, '0')}-7a3c-7d11-9c5e-2f6b8a0d4e17`.slice(-36);
}

function stateBytes(limiter: SimulatedLimiter): number {
  return Buffer.byteLength(JSON.stringify(packState(limiter.rateLimiter.state())));
}

// Some eight seconds of CPU: it takes so many messages to show that each of them costs the same.
test(
  '20,000 waiting runs are queued, or refused with a sentence, and the state fits into a payload, with a throttle and the window of an hour',
  { timeout: 240_000 },
  () => {
    const throttle = { day: 86_400, rps: 60, other: 900 };
    const limits = wideLimits({ maxConcurrent: 5, requestsPerMinute: 1_000, requestsPerHour: 10_000 });
    const limiter = new SimulatedLimiter({ limits, throttle });
    // An hour's window, as full as it can be.
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
    expect(refused[0]).toMatch(/^The limiter of test\/model has no room for this run: \d+ runs wait there already\. /);
    expect(limiter.waiting).toBe(20 * (runs - refused.length));
    expect(stateBytes(limiter)).toBeLessThan(0.9 * payloadBytes);

    // The end of the throttle is due to all of them; it goes out by and by.
    limiter.rateLimiter.overrideResume();
    expect(limiter.rateLimiter.advance(limiter.nowMs, 500)).toHaveLength(500);
    expect(limiter.rateLimiter.hasUpdates).toBe(true);
    expect(stateBytes(limiter)).toBeLessThan(0.9 * payloadBytes);
    limiter.continueAsNew().advance();
    expect(limiter.rateLimiter.hasUpdates).toBe(false);
    expect(limiter.updateTo(nameOf(runs / 4))).toMatchObject({ waiting: 20 });

    // Whoever leaves makes room.
    limiter.send(holder(nameOf(0)), { leaves: true }).send(holder(nameOf(1)), { leaves: true });
    limiter.request('late', ...requests);
    expect(limiter.updateTo('late')).toMatchObject({ waiting: 20 });
    expect(limiter.updateTo('late')).not.toHaveProperty('refused');
  },
);
