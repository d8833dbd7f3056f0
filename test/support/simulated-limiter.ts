import type {
  EarlierLimiter,
  Holder,
  LimiterMessage,
  LimiterSettings,
  LimiterUpdate,
  Permit,
  PermitReport,
} from '../../contract/limiter.ts';
import { ProviderLimits } from '../../contract/provider.ts';
import type { LimiterEvent } from '../../workflows/limiter/limiter-event.ts';
import { type LimiterState, newLimiter, newerSettings } from '../../workflows/limiter/limiter-state.ts';
import { packState, type PackedState, unpackState } from '../../workflows/limiter/packed-state.ts';
import { RateLimiter } from '../../workflows/limiter/rate-limiter.ts';

export type ReportedOutcome = PermitReport['outcome'];

/** Time for which calls may outlive their run. */
export const callEndMs = 10_000;

export const startMs = Date.parse('2026-01-02T03:00:00Z');

/** Limits that in effect restrict only concurrency, unless overridden. */
export function wideLimits(limits: Partial<ProviderLimits> = {}): ProviderLimits {
  return ProviderLimits.parse({ requestsPerMinute: 60_000, requestsPerHour: 1_000_000, burstLimit: 1_000, ...limits });
}

export function holder(name: string): Holder {
  return { workflowId: `run-${name}`, firstRunId: name };
}

/** A rate limiter with its own clock, and the holders that send it messages. */
export class SimulatedLimiter {
  rateLimiter: RateLimiter;
  nowMs = startMs;
  settings: LimiterSettings;
  readonly events: LimiterEvent[] = [];
  /** Grants in order. */
  readonly grants: { holder: string; requestId: string; permitId: string; atMs: number }[] = [];
  /** Updates of the last `advance`. */
  updates: LimiterUpdate[] = [];

  /** `earlier`: the limiter that this one follows. */
  constructor(settings: Partial<LimiterSettings> = {}, earlier?: EarlierLimiter) {
    this.settings = { limits: wideLimits(), ...settings };
    this.rateLimiter = this.#create(newLimiter('test/model', this.settings, earlier));
  }

  send(from: Holder, message: Omit<LimiterMessage, 'from' | 'settings'>): this {
    this.rateLimiter.receive({ from, settings: this.settings, ...message }, this.nowMs);
    return this.advance();
  }

  request(name: string, ...requests: string[]): this {
    return this.send(holder(name), { requests });
  }

  /** Reports the end of the call under the permit of this request. */
  report(name: string, requestId: string, outcome: ReportedOutcome = { kind: 'ok' }): this {
    const permitId = this.permitOf(name, requestId);
    return this.send(holder(name), { reports: [{ permitId, outcome }] });
  }

  /** The latest permit for this request. */
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
    this.updates = this.rateLimiter.advance(this.nowMs);
    return this;
  }

  /** Sleeps as the workflow does. */
  sleep(): boolean {
    const wakeAtMs = this.rateLimiter.wakeAtMs(this.nowMs);
    if (wakeAtMs === undefined) return false;
    this.nowMs = Math.max(this.nowMs + 1, wakeAtMs);
    this.advance();
    return true;
  }

  /** Passes the state through JSON, as the workflow does when it continues as new. */
  continueAsNew(): this {
    this.rateLimiter = this.#create(
      unpackState(JSON.parse(JSON.stringify(packState(this.rateLimiter.state()))) as PackedState),
    );
    return this;
  }

  /** Grants so far, such as `a1 b1`. */
  get granted(): string {
    return this.grants.map(({ requestId }) => requestId).join(' ');
  }

  get inUse(): number {
    return this.rateLimiter.stats(this.nowMs).permits_in_use;
  }

  get waiting(): number {
    return this.rateLimiter.stats(this.nowMs).waiting;
  }

  eventsOf<Kind extends LimiterEvent['kind']>(kind: Kind): Extract<LimiterEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<LimiterEvent, { kind: Kind }> => event.kind === kind);
  }

  /** Update of the last `advance` for this holder. */
  updateTo(name: string): LimiterUpdate | undefined {
    return this.updates.find(({ to }) => to.firstRunId === name);
  }

  #create(state: LimiterState): RateLimiter {
    const onEvent = (event: LimiterEvent) => {
      this.events.push(event);
      if (event.kind !== 'permit_granted') return;
      const { holder, requestId, permitId } = event;
      this.grants.push({ holder, requestId, permitId, atMs: this.nowMs });
    };
    return new RateLimiter(state, {
      permitId: (number) => `limiter-${number}`,
      refundsUnused: true,
      callEndMs,
      leaverCallEndMs: callEndMs,
      chooseSettings: newerSettings,
      keepsLongerThrottle: true,
      onEvent,
    });
  }
}

/** A permit of an earlier limiter, or one that a holder granted itself while its limiter did not answer. */
export function foreignPermit(requestId: string, expiresAtMs: number): Permit {
  return { permitId: `foreign-${requestId}`, requestId, expiresAtMs };
}
