import type {
  CallReport,
  LimiterMessage,
  LimiterUpdate,
  LimiterSettings,
  Holder,
  Permit,
} from '../../../contract/limiter.ts';
import { ProviderLimits } from '../../../contract/provider.ts';
import { RateLimiter, type LimiterEvent } from '../../../workflows/limiter/rate-limiter.ts';
import { type LimiterState, newLimiter } from '../../../workflows/limiter/limiter-state.ts';

export const startMs = Date.parse('2026-01-02T03:00:00Z');

/** Only the concurrency limits, where a test does not say otherwise. */
export function limitsOf(limits: Partial<ProviderLimits> = {}): ProviderLimits {
  return ProviderLimits.parse({ requestsPerMinute: 60_000, requestsPerHour: 1_000_000, burstLimit: 1_000, ...limits });
}

export function holder(name: string): Holder {
  return { workflowId: `run-${name}`, firstRunId: name };
}

/** A limiter with its own clock, and who asks it. */
export class TestLimiter {
  book: RateLimiter;
  nowMs = startMs;
  settings: LimiterSettings;
  readonly events: LimiterEvent[] = [];
  /** In the order in which they were granted. */
  readonly grants: { holder: string; requestId: string; permitId: string; atMs: number }[] = [];
  /** Of the last `advance`. */
  news: LimiterUpdate[] = [];

  constructor(settings: Partial<LimiterSettings> = {}) {
    this.settings = { limits: limitsOf(), ...settings };
    this.book = this.#bookOf(newLimiter('test/model', this.settings));
  }

  mail(from: Holder, mail: Omit<LimiterMessage, 'from' | 'settings'>): this {
    this.book.receive({ from, settings: this.settings, ...mail }, this.nowMs);
    return this.advance();
  }

  ask(name: string, ...requests: string[]): this {
    return this.mail(holder(name), { requests });
  }

  /** The end of the call under the permit of this request. */
  report(name: string, requestId: string, outcome: CallReport = { kind: 'ok' }): this {
    const permitId = this.permitOf(name, requestId);
    return this.mail(holder(name), { reports: [{ permitId, outcome }] });
  }

  /** The last one that was granted for it. */
  permitOf(name: string, requestId: string): string {
    const grant = this.grants.findLast((grant) => grant.holder === `run-${name}` && grant.requestId === requestId);
    if (grant === undefined) throw new Error(`nothing was granted to ${requestId} of ${name}`);
    return grant.permitId;
  }

  after(seconds: number): this {
    this.nowMs += seconds * 1000;
    return this.advance();
  }

  advance(): this {
    this.news = this.book.advance(this.nowMs);
    return this;
  }

  /** Sleeps as the workflow does. */
  sleep(): boolean {
    const wakeAtMs = this.book.wakeAtMs(this.nowMs);
    if (wakeAtMs === undefined) return false;
    this.nowMs = Math.max(this.nowMs + 1, wakeAtMs);
    this.advance();
    return true;
  }

  /** As the workflow continues as new: through JSON. */
  continueAsNew(): this {
    this.book = this.#bookOf(JSON.parse(JSON.stringify(this.book.state())) as LimiterState);
    return this;
  }

  /** `a1 b1`: what was granted so far. */
  get granted(): string {
    return this.grants.map(({ requestId }) => requestId).join(' ');
  }

  get inUse(): number {
    return this.book.stats(this.nowMs).permits_in_use;
  }

  get waiting(): number {
    return this.book.stats(this.nowMs).waiting;
  }

  eventsOf<Kind extends LimiterEvent['kind']>(kind: Kind): Extract<LimiterEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<LimiterEvent, { kind: Kind }> => event.kind === kind);
  }

  /** What the last advance had to say to this holder. */
  newsTo(name: string): LimiterUpdate | undefined {
    return this.news.find(({ to }) => to.firstRunId === name);
  }

  #bookOf(state: LimiterState): RateLimiter {
    return new RateLimiter(state, 'limiter', (event) => {
      this.events.push(event);
      if (event.kind !== 'permit_granted') return;
      const { holder, requestId, permitId } = event;
      this.grants.push({ holder, requestId, permitId, atMs: this.nowMs });
    });
  }
}

/** Of a limiter that is no more, or our own of when none answered. */
export function foreignPermit(requestId: string, expiresAtMs: number): Permit {
  return { permitId: `foreign-${requestId}`, requestId, expiresAtMs };
}
