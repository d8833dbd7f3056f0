import type {
  CallReport,
  LimiterDetails,
  LimiterMessage,
  LimiterUpdate,
  LimiterStats,
  Holder,
  LimitsOverride,
  Permit,
  PermitReport,
  Throttle,
} from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { type Admission, admission, bucketLimits } from './policy/admission.ts';
import { afterCall, afterGrant, afterTime, type Breaker, closedBreaker } from './policy/breaker.ts';
import { expectedGrantsMs } from './policy/delay-estimate.ts';
import { throttleSeconds } from './policy/rate-limit-error.ts';
import { countWithin, hourMs, minuteMs, withGrant, withoutOld } from './policy/sliding-window.ts';
import { refilled, withoutToken } from './policy/token-bucket.ts';
import { type LimiterState, type HeldPermit, limitsOf } from './limiter-state.ts';
import { isSame, RequestQueue } from './request-queue.ts';

/** What the limiter logs and counts. */
export type LimiterEvent =
  | { kind: 'permit_granted'; permitId: string; holder: string; requestId: string }
  | { kind: 'permit_expired'; permitId: string; holder: string; requestId: string }
  | { kind: 'permit_adopted'; permitId: string; holder: string; requestId: string }
  | { kind: 'late_report'; permitId: string; holder: string; outcome: CallReport['kind'] }
  | { kind: 'rate_limited'; holder: string; message: string }
  | { kind: 'throttled'; seconds: number; reason: string; override: boolean }
  | { kind: 'resumed'; override: boolean }
  | { kind: 'breaker_opened'; seconds: number; message: string }
  | { kind: 'breaker_closed' }
  | { kind: 'holder_lost'; holder: string; waiting: number; permits: number }
  | { kind: 'limits_set'; override: LimitsOverride };

/** The limiter's decisions, without Temporal: time is passed in, and what is to be said comes out. */
export class RateLimiter {
  readonly #permitPrefix: string;
  readonly #onEvent: (event: LimiterEvent) => void;
  readonly #line: RequestQueue;
  #state: LimiterState;

  constructor(state: LimiterState, permitPrefix: string, onEvent: (event: LimiterEvent) => void = () => undefined) {
    this.#state = { ...state, permits: [...state.permits], pendingUpdates: [...state.pendingUpdates] };
    this.#line = new RequestQueue(state.waiting);
    this.#permitPrefix = permitPrefix;
    this.#onEvent = onEvent;
  }

  state(): LimiterState {
    return { ...this.#state, waiting: this.#line.groups() };
  }

  receive(mail: LimiterMessage, nowMs: number): void {
    const { from } = mail;
    this.#state.settings = mail.settings;
    this.#expirePermits(nowMs);
    this.#succeed(from, nowMs);
    for (const report of mail.reports ?? []) this.#settle(from, report, nowMs);
    for (const permit of mail.holding ?? []) this.#adopt(from, permit, nowMs);
    for (const requestId of mail.withdrawals ?? []) this.#withdraw(from, requestId, nowMs);
    if (mail.leaves === true) {
      this.#drop(from, nowMs);
      return;
    }
    for (const requestId of mail.requests ?? []) {
      if (this.#permitOf(from, requestId) === undefined) this.#line.add(from, requestId);
    }
    if (mail.requests !== undefined || mail.holding !== undefined) this.#answer(from);
  }

  overrideThrottle(seconds: number, reason: string, nowMs: number): void {
    this.#suspend({ untilMs: nowMs + seconds * 1000, reason }, seconds, true);
  }

  overrideResume(): void {
    // Whoever opens by hand knows that the provider answers again.
    if (this.#state.breaker.kind !== 'closed') this.#onEvent({ kind: 'breaker_closed' });
    this.#state.breaker = closedBreaker;
    this.#resume(true);
  }

  setLimits(override: LimitsOverride): void {
    const merged = Object.entries({ ...this.#state.override, ...override }).filter(([, value]) => value !== null);
    this.#state.override = Object.fromEntries(merged);
    this.#onEvent({ kind: 'limits_set', override: this.#state.override });
  }

  /** The holder's workflow is closed: nobody will use or report its permits. */
  lost(holder: Holder, nowMs: number): void {
    const permits = this.#state.permits.filter((permit) => isSame(permit.holder, holder)).length;
    const waiting = this.#line.countOf(holder);
    this.#onEvent({ kind: 'holder_lost', holder: holder.workflowId, waiting, permits });
    this.#drop(holder, nowMs);
  }

  /** Does what time allows, and gives all that is to be told. */
  advance(nowMs: number): LimiterUpdate[] {
    this.#expirePermits(nowMs);
    const { throttle } = this.#state;
    if (throttle !== undefined && throttle.untilMs <= nowMs) this.#resume(false);
    this.#state.breaker = afterTime(this.#state.breaker, nowMs);
    this.#state.window = withoutOld(this.#state.window, nowMs);
    this.#state.bucket = refilled(this.#state.bucket, bucketLimits(this.limits), nowMs);

    for (;;) {
      const next = this.#line.first();
      if (next === undefined || this.#admission(nowMs).kind === 'wait') break;
      this.#line.delete(next.holder, next.requestId);
      this.#grant(next.holder, next.requestId, nowMs);
      this.#answer(next.holder);
    }
    return this.#news(nowMs);
  }

  /** When `advance` may have something to do although nothing has come in. */
  wakeAtMs(nowMs: number): number | undefined {
    const times = this.#state.permits.map(({ expiresAtMs }) => expiresAtMs);
    if (this.#state.throttle !== undefined) times.push(this.#state.throttle.untilMs);
    if (this.#line.size > 0) {
      const next = this.#admission(nowMs);
      if (next.kind === 'wait' && next.untilMs !== undefined) times.push(next.untilMs);
    }
    return times.length === 0 ? undefined : Math.min(...times);
  }

  get limits(): ProviderLimits {
    return limitsOf(this.#state);
  }

  get key(): string {
    return this.#state.key;
  }

  stats(nowMs: number): LimiterStats {
    const { window, throttle } = this.#state;
    const { limits } = this;
    const live = throttle !== undefined && throttle.untilMs > nowMs ? throttle : undefined;
    const bucket = refilled(this.#state.bucket, bucketLimits(limits), nowMs);
    const lastHour = countWithin(window, hourMs, nowMs);
    return {
      requests_last_minute: countWithin(window, minuteMs, nowMs),
      limit_per_minute: limits.requestsPerMinute,
      requests_last_hour: lastHour,
      limit_per_hour: limits.requestsPerHour,
      burst_tokens_remaining: Math.floor(bucket.tokens * 100) / 100,
      burst_limit: limits.burstLimit,
      total_requests_tracked: lastHour,
      permits_in_use: this.#state.permits.filter(({ expiresAtMs }) => expiresAtMs > nowMs).length,
      max_concurrent: limits.maxConcurrent,
      waiting: this.#line.size,
      throttled: live !== undefined,
      throttle_until: live === undefined ? null : new Date(live.untilMs).toISOString(),
      throttle_reason: live?.reason ?? null,
    };
  }

  details(nowMs: number): LimiterDetails {
    const { override, permits } = this.#state;
    const breaker = afterTime(this.#state.breaker, nowMs);
    return {
      stats: this.stats(nowMs),
      limits: this.limits,
      settings: this.#state.settings.limits,
      override,
      breaker: {
        state: breaker.kind,
        failuresInRow: breaker.kind === 'closed' ? breaker.failuresInRow : this.limits.breakerFailures,
        until: breaker.kind === 'open' ? new Date(breaker.untilMs).toISOString() : null,
      },
      permits: permits
        .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
        .map(({ permitId, holder, requestId, expiresAtMs }) => ({
          permitId,
          holder: holder.workflowId,
          requestId,
          expiresAt: new Date(expiresAtMs).toISOString(),
        })),
      waiting: this.#line
        .holders()
        .map((holder) => ({ holder: holder.workflowId, requests: this.#line.countOf(holder) })),
    };
  }

  #admission(nowMs: number): Admission {
    const { permits, window, breaker, throttle } = this.#state;
    const bucket = refilled(this.#state.bucket, bucketLimits(this.limits), nowMs);
    const inUse = permits.length;
    return admission({
      nowMs,
      limits: this.limits,
      inUse,
      window,
      bucket,
      breaker,
      throttledUntilMs: throttle?.untilMs,
    });
  }

  #grant(holder: Holder, requestId: string, nowMs: number): void {
    const state = this.#state;
    state.issued += 1;
    const permitId = `${this.#permitPrefix}-${state.issued}`;
    const expiresAtMs = nowMs + this.limits.permitSeconds * 1000;
    state.permits.push({ permitId, requestId, expiresAtMs, holder, grantedAtMs: nowMs });
    this.#count(nowMs);
    state.breaker = afterGrant(state.breaker, permitId);
    this.#onEvent({ kind: 'permit_granted', permitId, holder: holder.workflowId, requestId });
  }

  #count(nowMs: number): void {
    const state = this.#state;
    state.window = withGrant(state.window, nowMs);
    state.bucket = withoutToken(refilled(state.bucket, bucketLimits(this.limits), nowMs));
  }

  /** Known to its holder only: we were started anew meanwhile, or did not answer and it went on alone. */
  #adopt(holder: Holder, permit: Permit, nowMs: number): void {
    const known = this.#state.permits.some(({ permitId }) => permitId === permit.permitId);
    if (known || permit.expiresAtMs <= nowMs) return;
    this.#state.permits.push({ ...permit, holder, grantedAtMs: nowMs });
    this.#count(nowMs);
    const { permitId, requestId } = permit;
    this.#onEvent({ kind: 'permit_adopted', permitId, holder: holder.workflowId, requestId });
  }

  #settle(holder: Holder, { permitId, outcome }: PermitReport, nowMs: number): void {
    const permit = this.#state.permits.find((permit) => permit.permitId === permitId);
    if (permit === undefined) {
      // Fenced: its place has gone to another, of whom this says nothing.
      this.#onEvent({ kind: 'late_report', permitId, holder: holder.workflowId, outcome: outcome.kind });
      return;
    }
    this.#release(permit);
    this.#judge(permitId, outcome.kind, outcome.kind === 'failed' ? outcome.message : '', nowMs);
    if (outcome.kind === 'ok' || outcome.kind === 'failed') {
      this.#state.callMs = 0.8 * this.#state.callMs + 0.2 * (nowMs - permit.grantedAtMs);
    }
    if (outcome.kind === 'rate_limited') this.#rateLimited(holder, outcome, nowMs);
  }

  #rateLimited(holder: Holder, outcome: Extract<CallReport, { kind: 'rate_limited' }>, nowMs: number): void {
    this.#onEvent({ kind: 'rate_limited', holder: holder.workflowId, message: outcome.message });
    const throttles = this.#state.settings.throttle;
    if (throttles === undefined) return;
    const seconds = throttleSeconds(outcome.message, outcome.retryAfterSeconds, throttles);
    const untilMs = nowMs + seconds * 1000;
    // Several calls were under way; the longest that one of them was told counts.
    if (untilMs > (this.#state.throttle?.untilMs ?? 0)) {
      this.#suspend({ untilMs, reason: outcome.message }, seconds, false);
    }
    this.#answer(holder);
  }

  #judge(permitId: string, outcome: CallReport['kind'] | 'lost', message: string, nowMs: number): void {
    const before: Breaker = this.#state.breaker;
    const after = afterCall(before, permitId, outcome, this.limits, nowMs);
    this.#state.breaker = after;
    if (after.kind === 'open' && before.kind !== 'open') {
      this.#onEvent({ kind: 'breaker_opened', seconds: this.limits.breakerSeconds, message });
    }
    if (after.kind === 'closed' && before.kind !== 'closed') this.#onEvent({ kind: 'breaker_closed' });
  }

  #withdraw(holder: Holder, requestId: string, nowMs: number): void {
    this.#line.delete(holder, requestId);
    const permit = this.#permitOf(holder, requestId);
    if (permit === undefined) return;
    this.#release(permit);
    this.#judge(permit.permitId, 'unused', '', nowMs);
  }

  /** Of one workflow id only one run is open. The earlier one is closed, and would be granted, one after the other, all that it waited for. */
  #succeed(holder: Holder, nowMs: number): void {
    const known = [...this.#line.holders(), ...this.#state.permits.map((permit) => permit.holder)];
    const earlier = known.filter((other) => other.workflowId === holder.workflowId && !isSame(other, holder));
    for (const one of new Map(earlier.map((other) => [other.firstRunId, other])).values()) this.lost(one, nowMs);
  }

  #drop(holder: Holder, nowMs: number): void {
    const state = this.#state;
    this.#line.deleteAllOf(holder);
    for (const permit of state.permits.filter((permit) => isSame(permit.holder, holder))) {
      this.#release(permit);
      this.#judge(permit.permitId, 'lost', '', nowMs);
    }
    state.throttleTold = state.throttleTold.filter((told) => !isSame(told, holder));
    state.pendingUpdates = state.pendingUpdates.filter((asked) => !isSame(asked, holder));
  }

  #expirePermits(nowMs: number): void {
    for (const permit of this.#state.permits.filter(({ expiresAtMs }) => expiresAtMs <= nowMs)) {
      this.#release(permit);
      this.#judge(permit.permitId, 'lost', '', nowMs);
      const { permitId, holder, requestId } = permit;
      this.#onEvent({ kind: 'permit_expired', permitId, holder: holder.workflowId, requestId });
    }
  }

  #release(permit: HeldPermit): void {
    this.#state.permits = this.#state.permits.filter(({ permitId }) => permitId !== permit.permitId);
  }

  #permitOf(holder: Holder, requestId: string): HeldPermit | undefined {
    return this.#state.permits.find((permit) => permit.requestId === requestId && isSame(permit.holder, holder));
  }

  #suspend(throttle: Throttle, seconds: number, override: boolean): void {
    this.#state.throttle = throttle;
    this.#onEvent({ kind: 'throttled', seconds, reason: throttle.reason, override });
    for (const holder of this.#line.holders()) this.#answer(holder);
    for (const { holder } of this.#state.permits) this.#answer(holder);
  }

  #resume(override: boolean): void {
    if (this.#state.throttle === undefined) return;
    delete this.#state.throttle;
    this.#onEvent({ kind: 'resumed', override });
    // Those, too, that have gone to another key since.
    for (const holder of this.#state.throttleTold) this.#answer(holder);
    this.#state.throttleTold = [];
  }

  #answer(holder: Holder): void {
    const { pendingUpdates } = this.#state;
    if (!pendingUpdates.some((asked) => isSame(asked, holder))) pendingUpdates.push(holder);
  }

  #news(nowMs: number): LimiterUpdate[] {
    const { pendingUpdates, key, throttle } = this.#state;
    if (pendingUpdates.length === 0) return [];
    this.#state.pendingUpdates = [];
    const expectedMs = this.#expectedGrantsMs(nowMs);
    const lastPlaces = this.#line.lastPlaces();
    return pendingUpdates.map((to) => {
      if (throttle !== undefined && !this.#state.throttleTold.some((told) => isSame(told, to))) {
        this.#state.throttleTold.push(to);
      }
      // Its permits of before, too: an answer may have been lost on the way.
      const known = this.#state.permits
        .filter((permit) => isSame(permit.holder, to))
        .map(({ permitId, requestId, expiresAtMs }) => ({ permitId, requestId, expiresAtMs }));
      const news: LimiterUpdate = { key, to, granted: known, waiting: this.#line.countOf(to) };
      if (throttle !== undefined) news.throttle = throttle;
      const lastGrantAtMs = expectedMs[lastPlaces.get(to.firstRunId) ?? -1];
      if (lastGrantAtMs !== undefined) news.lastGrantAtMs = Math.round(lastGrantAtMs);
      return news;
    });
  }

  #expectedGrantsMs(nowMs: number): number[] {
    if (this.#line.size === 0) return [];
    const { permits, window, bucket, breaker, throttle, callMs } = this.#state;
    const closedUntilMs = Math.max(throttle?.untilMs ?? 0, breaker.kind === 'open' ? breaker.untilMs : 0);
    return expectedGrantsMs(
      {
        nowMs,
        limits: this.limits,
        permitsBackAtMs: permits.map(({ grantedAtMs }) => grantedAtMs + callMs),
        window,
        bucket: refilled(bucket, bucketLimits(this.limits), nowMs),
        closedUntilMs,
        callMs,
      },
      this.#line.size,
    );
  }
}
