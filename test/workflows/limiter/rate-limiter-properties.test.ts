import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { holder, wideLimits, type ReportedOutcome, SimulatedLimiter } from '../../support/simulated-limiter.ts';

// Invariants that hold for all messages in any order.

const names = ['a', 'b', 'c'];
const outcomes: ReportedOutcome[] = [
  { kind: 'ok' },
  { kind: 'failed', message: 'down' },
  { kind: 'rate_limited', message: 'requests per minute limit exceeded' },
  { kind: 'unused' },
];

type Step =
  | { kind: 'request'; name: string; count: number }
  /** Reports any permit so far; `pick` may choose one that has ended. */
  | { kind: 'report'; pick: number; outcome: ReportedOutcome }
  | { kind: 'withdraw'; pick: number }
  | { kind: 'leave' | 'lost'; name: string }
  | { kind: 'time'; seconds: number }
  | { kind: 'throttle' | 'resume' | 'repeat' };

const name = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('request' as const), name, count: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      pick: fc.nat(),
      outcome: fc.constantFrom(...outcomes),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('leave' as const, 'lost' as const), name }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 90 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('throttle' as const, 'resume' as const, 'repeat' as const) }),
  },
);
// Without `size`, fast-check generates lists of about ten entries.
const steps = fc.array(step, { maxLength: 100, size: 'max' });
const limits = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 4 }),
  requestsPerMinute: fc.integer({ min: 1, max: 20 }),
  burstLimit: fc.integer({ min: 1, max: 6 }),
});

interface Request {
  name: string;
  requestId: string;
}

/** A rate limiter and a plain list of requests, which must agree. */
class CheckedLimiter {
  readonly limiter: SimulatedLimiter;
  queue: Request[] = [];
  readonly #perMinute: number;
  readonly #concurrent: number;
  #requested = 0;
  #seen = 0;

  constructor(limits: { maxConcurrent: number; requestsPerMinute: number; burstLimit: number }) {
    this.#perMinute = limits.requestsPerMinute;
    this.#concurrent = limits.maxConcurrent;
    this.limiter = new SimulatedLimiter({ limits: wideLimits(limits), throttle: { day: 86_400, rps: 60, other: 900 } });
  }

  apply(step: Step): void {
    const { limiter } = this;
    switch (step.kind) {
      case 'request': {
        const requests = Array.from({ length: step.count }, () => String((this.#requested += 1)));
        this.queue.push(...requests.map((requestId) => ({ name: step.name, requestId })));
        limiter.send(holder(step.name), { requests });
        break;
      }
      case 'report': {
        const grant = limiter.grants[step.pick % limiter.grants.length];
        if (grant === undefined) return;
        const { permitId } = grant;
        const live = limiter.rateLimiter.details(limiter.nowMs).permits.some((permit) => permit.permitId === permitId);
        const before = limiter.rateLimiter.state();
        const reports = [{ permitId, outcome: step.outcome }];
        limiter.send({ workflowId: grant.holder, firstRunId: grant.holder.slice('run-'.length) }, { reports });
        if (!live) expect(limiter.rateLimiter.state()).toEqual(before);
        break;
      }
      case 'withdraw': {
        const request = this.queue[step.pick % this.queue.length];
        if (request === undefined) return;
        this.queue = this.queue.filter((waiting) => waiting !== request);
        limiter.send(holder(request.name), { withdrawals: [request.requestId] });
        break;
      }
      case 'leave':
      case 'lost':
        this.queue = this.queue.filter((waiting) => waiting.name !== step.name);
        if (step.kind === 'leave') limiter.send(holder(step.name), { leaves: true });
        else limiter.rateLimiter.dropLostHolder(holder(step.name), limiter.nowMs);
        limiter.advance();
        break;
      case 'time':
        limiter.after(step.seconds);
        break;
      case 'throttle':
        limiter.rateLimiter.overrideThrottle(45, 'maintenance', limiter.nowMs);
        limiter.advance();
        break;
      case 'resume':
        limiter.rateLimiter.overrideResume();
        limiter.advance();
        break;
      case 'repeat':
        for (const each of names) {
          const requests = this.queue.filter(({ name }) => name === each).map(({ requestId }) => requestId);
          limiter.send(holder(each), { requests });
        }
    }
    this.check();
  }

  check(): void {
    const { limiter } = this;
    for (const grant of limiter.grants.slice(this.#seen)) {
      // Each grant is the oldest queued request, granted once.
      const first = this.queue.shift();
      expect({ name: `run-${first?.name}`, requestId: first?.requestId }).toEqual({
        name: grant.holder,
        requestId: grant.requestId,
      });
    }
    this.#seen = limiter.grants.length;
    const stats = limiter.rateLimiter.stats(limiter.nowMs);
    expect(stats.permits_in_use).toBeLessThanOrEqual(this.#concurrent);
    expect(stats.requests_last_minute).toBeLessThanOrEqual(this.#perMinute);
    expect(stats.waiting).toBe(this.queue.length);
    for (const { to, waiting } of limiter.updates) {
      expect(waiting).toBe(this.queue.filter(({ name }) => name === to.firstRunId).length);
    }
  }
}

test('never exceeds the permits, overtakes or forgets a request, or obeys a late report', () => {
  fc.assert(
    fc.property(limits, steps, (own, steps) => {
      const checked = new CheckedLimiter(own);
      for (const each of steps) checked.apply(each);
      // Without further reports, every queued request is granted in the end.
      const { limiter } = checked;
      for (let wakes = 0; checked.queue.length > 0; wakes += 1) {
        expect(wakes).toBeLessThan(10_000);
        expect(limiter.sleep()).toBe(true);
        checked.check();
      }
    }),
  );
});

test('a limiter that continues as new after every step behaves the same', () => {
  fc.assert(
    fc.property(limits, steps, (own, steps) => {
      const [lasting, renewed] = [new CheckedLimiter(own), new CheckedLimiter(own)];
      for (const each of steps) {
        renewed.limiter.continueAsNew();
        lasting.apply(each);
        renewed.apply(each);
        expect(renewed.limiter.updates).toEqual(lasting.limiter.updates);
        expect(renewed.limiter.rateLimiter.wakeAtMs(renewed.limiter.nowMs)).toBe(
          lasting.limiter.rateLimiter.wakeAtMs(lasting.limiter.nowMs),
        );
        expect(renewed.limiter.rateLimiter.stats(renewed.limiter.nowMs)).toEqual(
          lasting.limiter.rateLimiter.stats(lasting.limiter.nowMs),
        );
        expect(renewed.limiter.rateLimiter.details(renewed.limiter.nowMs)).toEqual(
          lasting.limiter.rateLimiter.details(lasting.limiter.nowMs),
        );
      }
      expect(renewed.limiter.events).toEqual(lasting.limiter.events);
    }),
    { numRuns: 40 },
  );
});
