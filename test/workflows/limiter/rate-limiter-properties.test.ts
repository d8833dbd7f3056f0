import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { holder, limitsOf, type ReportedOutcome, TestLimiter } from './support.ts';

// Whatever comes in, and in whatever order.

const names = ['a', 'b', 'c'];
const outcomes: ReportedOutcome[] = [
  { kind: 'ok' },
  { kind: 'failed', message: 'down' },
  { kind: 'rate_limited', message: 'requests per minute limit exceeded' },
  { kind: 'unused' },
];

type Step =
  | { kind: 'ask'; name: string; count: number }
  /** Of any permit that ever was; `pick` may mean one that is over. */
  | { kind: 'report'; pick: number; outcome: ReportedOutcome }
  | { kind: 'withdraw'; pick: number }
  | { kind: 'leave' | 'lost'; name: string }
  | { kind: 'time'; seconds: number }
  | { kind: 'throttle' | 'resume' | 'repeat' };

const name = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), name, count: fc.integer({ min: 1, max: 6 }) }),
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
// As long as it says: fast-check keeps lists at some ten entries else.
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

/** Beside the limiter, what any list of who came when must come to. */
class Watched {
  readonly limiter: TestLimiter;
  /** In order of arrival. */
  line: Request[] = [];
  readonly #perMinute: number;
  readonly #concurrent: number;
  #asked = 0;
  #seen = 0;

  constructor(limits: { maxConcurrent: number; requestsPerMinute: number; burstLimit: number }) {
    this.#perMinute = limits.requestsPerMinute;
    this.#concurrent = limits.maxConcurrent;
    this.limiter = new TestLimiter({ limits: limitsOf(limits), throttle: { day: 86_400, rps: 60, other: 900 } });
  }

  take(step: Step): void {
    const { limiter } = this;
    switch (step.kind) {
      case 'ask': {
        const requests = Array.from({ length: step.count }, () => String((this.#asked += 1)));
        this.line.push(...requests.map((requestId) => ({ name: step.name, requestId })));
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
        const request = this.line[step.pick % this.line.length];
        if (request === undefined) return;
        this.line = this.line.filter((waiting) => waiting !== request);
        limiter.send(holder(request.name), { withdrawals: [request.requestId] });
        break;
      }
      case 'leave':
      case 'lost':
        this.line = this.line.filter((waiting) => waiting.name !== step.name);
        if (step.kind === 'leave') limiter.send(holder(step.name), { leaves: true });
        else limiter.rateLimiter.dropLostHolder(holder(step.name), limiter.nowMs);
        limiter.advance();
        break;
      case 'time':
        limiter.after(step.seconds);
        break;
      case 'throttle':
        limiter.rateLimiter.overrideThrottle(45, 'by hand', limiter.nowMs);
        limiter.advance();
        break;
      case 'resume':
        limiter.rateLimiter.overrideResume();
        limiter.advance();
        break;
      case 'repeat':
        for (const each of names) {
          const requests = this.line.filter(({ name }) => name === each).map(({ requestId }) => requestId);
          limiter.send(holder(each), { requests });
        }
    }
    this.look();
  }

  look(): void {
    const { limiter } = this;
    for (const grant of limiter.grants.slice(this.#seen)) {
      // In order of arrival, each once, and nobody who does not wait.
      const first = this.line.shift();
      expect({ name: `run-${first?.name}`, requestId: first?.requestId }).toEqual({
        name: grant.holder,
        requestId: grant.requestId,
      });
    }
    this.#seen = limiter.grants.length;
    const stats = limiter.rateLimiter.stats(limiter.nowMs);
    expect(stats.permits_in_use).toBeLessThanOrEqual(this.#concurrent);
    expect(stats.requests_last_minute).toBeLessThanOrEqual(this.#perMinute);
    expect(stats.waiting).toBe(this.line.length);
    for (const { to, waiting } of limiter.updates) {
      expect(waiting).toBe(this.line.filter(({ name }) => name === to.firstRunId).length);
    }
  }
}

test('never too many permits, nobody overtaken, nobody forgotten, and a late report changes nothing', () => {
  fc.assert(
    fc.property(limits, steps, (own, steps) => {
      const watched = new Watched(own);
      for (const each of steps) watched.take(each);
      // Nobody reports any more: in the end each that waits is granted all the same.
      const { limiter } = watched;
      for (let wakes = 0; watched.line.length > 0; wakes += 1) {
        expect(wakes).toBeLessThan(10_000);
        expect(limiter.sleep()).toBe(true);
        watched.look();
      }
    }),
  );
});

test('a limiter that continues as new after every step does and says the same', () => {
  fc.assert(
    fc.property(limits, steps, (own, steps) => {
      const [lasting, renewed] = [new Watched(own), new Watched(own)];
      for (const each of steps) {
        renewed.limiter.continueAsNew();
        lasting.take(each);
        renewed.take(each);
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
