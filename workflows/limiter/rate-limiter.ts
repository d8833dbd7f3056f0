import {
  type Holder,
  type LimiterDetails,
  type LimiterMessage,
  type LimiterStats,
  type LimiterUpdate,
  type LimitsOverride,
  type Permit,
  type PermitReport,
  type Throttle,
  type WorkerSlots,
  unauthorizedThrottle,
} from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { decide, type Decision } from './policy/admission.ts';
import { advanceBreaker, closedBreaker, recordCall, recordGrant } from './policy/breaker.ts';
import { throttleSeconds } from './policy/rate-limit-error.ts';
import { dropOldSlots, recordSlots } from './policy/worker-slots.ts';
import { grantLimitsOf, type HeldPermit, type LimiterState } from './limiter-state.ts';
import { composeRefusal, composeUpdates } from './limiter-updates.ts';
import { viewDetails, viewStats } from './limiter-views.ts';
import { DueUpdates } from './due-updates.ts';
import { PermitLedger } from './permit-ledger.ts';
import type { RateLimiterOptions } from './rate-limiter-options.ts';
import { isSameHolder, RequestQueue } from './request-queue.ts';

/** The limiter's decisions, without Temporal: callers pass the time in and send the updates that `advance` returns. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #queue: RequestQueue;
  readonly #ledger: PermitLedger;
  readonly #updates: DueUpdates;
  #state: LimiterState;

  constructor(state: LimiterState, options: RateLimiterOptions) {
    this.#state = state;
    this.#updates = new DueUpdates(state);
    this.#queue = new RequestQueue(state.waiting);
    this.#ledger = new PermitLedger(state);
    this.#options = options;
  }

  state(): LimiterState {
    const told = this.#updates.state((holder) => this.#queue.countOf(holder) > 0);
    return { ...this.#state, ...this.#ledger.state(), ...told, waiting: this.#queue.groups() };
  }

  receive(message: LimiterMessage, nowMs: number): void {
    const { from } = message;
    this.#state.settings = this.#options.chooseSettings(this.#state.settings, message.settings);
    if (message.worker !== undefined) this.receiveSlots(message.worker, nowMs);
    this.#expirePermits(nowMs);
    this.#dropEarlierRuns(from, nowMs);
    // Older versions ignore the run: a worker of an older version may replay this history, or may have written it.
    if (this.#options.callEndMs > 0) this.#disown(this.#ledger.leftBeforeReset(message), nowMs);
    for (const report of message.reports ?? []) this.#receiveReport(from, report, nowMs);
    for (const permit of message.holding ?? []) this.#adopt(from, permit, nowMs);
    for (const requestId of message.withdrawals ?? []) this.#withdraw(from, requestId, nowMs);
    if (message.leaves === true) return this.#drop(from, nowMs, this.#options.leaverCallEndMs);
    const requests = (message.requests ?? []).filter((id) => this.#ledger.heldFor(from, id) === undefined);
    if (!this.#queue.hasRoomFor(from, requests)) return this.#updates.addRefusal(from);
    this.#queue.add(from, requests);
    if (message.requests !== undefined || message.holding !== undefined) this.#updates.add(from);
  }

  receiveSlots(report: WorkerSlots, nowMs: number): void {
    this.#state.workers = recordSlots(this.#state.workers ?? [], report, nowMs);
  }

  overrideThrottle(seconds: number, reason: string, nowMs: number): void {
    this.#throttle({ untilMs: nowMs + seconds * 1000, reason }, seconds, true);
  }

  overrideResume(): void {
    // An operator who resumes a key knows that its provider works again.
    if (this.#state.breaker.kind !== 'closed') this.#options.onEvent({ kind: 'breaker_closed' });
    this.#state.breaker = closedBreaker;
    this.#resume(true);
  }

  setLimits(override: LimitsOverride): void {
    const merged = Object.entries({ ...this.#state.override, ...override }).filter(([, value]) => value !== null);
    this.#state.override = Object.fromEntries(merged);
    this.#options.onEvent({ kind: 'limits_set', override: this.#state.override });
  }

  /** Drops a holder whose workflow has closed, so that nobody will use or report its permits. */
  dropLostHolder(holder: Holder, nowMs: number): void {
    const permits = this.#ledger.heldBy(holder).length;
    const waiting = this.#queue.countOf(holder);
    this.#options.onEvent({ kind: 'holder_lost', holder: holder.workflowId, waiting, permits });
    this.#drop(holder, nowMs, this.#options.callEndMs);
  }

  /** Whether more updates are due than the last `advance` returned. */
  get hasUpdates(): boolean {
    return !this.#updates.isEmpty;
  }

  /** Expires permits and throttles, grants permits, and returns up to `mostUpdates` updates to send. */
  advance(nowMs: number, mostUpdates = Infinity): LimiterUpdate[] {
    this.#expirePermits(nowMs);
    const { throttle } = this.#state;
    if (throttle !== undefined && throttle.untilMs <= nowMs) this.#resume(false);
    this.#state.breaker = advanceBreaker(this.#state.breaker, nowMs);
    this.#ledger.advance(this.#limits, nowMs);
    if (this.#state.workers !== undefined) this.#state.workers = dropOldSlots(this.#state.workers, nowMs);

    for (;;) {
      const next = this.#queue.first();
      if (next === undefined || this.#decide(nowMs).kind === 'wait') break;
      this.#queue.delete(next.holder, next.requestId);
      this.#grant(next.holder, next.requestId, nowMs);
      this.#updates.add(next.holder);
    }
    return this.#takeUpdates(nowMs, mostUpdates);
  }

  /** Time at which `advance` must run next if no message arrives. */
  wakeAtMs(nowMs: number): number | undefined {
    const times = this.#ledger.endsMs();
    if (this.#state.throttle !== undefined) times.push(this.#state.throttle.untilMs);
    if (this.#queue.size > 0) {
      const next = this.#decide(nowMs);
      if (next.kind === 'wait' && next.untilMs !== undefined) times.push(next.untilMs);
    }
    return times.length === 0 ? undefined : Math.min(...times);
  }

  stats(nowMs: number): LimiterStats {
    return viewStats({ ...this.#state, ...this.#ledger.state() }, this.#queue, nowMs);
  }

  details(nowMs: number): LimiterDetails {
    return viewDetails({ ...this.#state, ...this.#ledger.state() }, this.#queue, nowMs);
  }

  get #limits(): ProviderLimits {
    return grantLimitsOf(this.#state);
  }

  get #throttledUntilMs(): number {
    return this.#state.throttle?.untilMs ?? 0;
  }

  #decide(nowMs: number): Decision {
    const { breaker, throttle } = this.#state;
    const limits = this.#limits;
    const { window } = this.#ledger;
    const [inUse, bucket] = [this.#ledger.inUse(limits, nowMs), this.#ledger.bucket(limits, nowMs)];
    return decide({ nowMs, limits, inUse, window, bucket, breaker, throttledUntilMs: throttle?.untilMs });
  }

  #grant(holder: Holder, requestId: string, nowMs: number): void {
    this.#state.issued += 1;
    const permitId = this.#options.permitId(this.#state.issued);
    const expiresAtMs = nowMs + this.#limits.permitSeconds * 1000;
    this.#ledger.add({ permitId, requestId, expiresAtMs, holder, grantedAtMs: nowMs }, this.#limits);
    this.#state.breaker = recordGrant(this.#state.breaker, permitId);
    this.#options.onEvent({ kind: 'permit_granted', permitId, holder: holder.workflowId, requestId });
  }

  /** Registers a permit that an earlier limiter or the holder itself granted. */
  #adopt(holder: Holder, permit: Permit, nowMs: number): void {
    if (this.#ledger.has(permit.permitId) || permit.expiresAtMs <= nowMs) return;
    this.#ledger.accountFor(permit.permitId, holder);
    this.#ledger.add({ ...permit, holder, grantedAtMs: nowMs }, this.#limits);
    const { permitId, requestId } = permit;
    this.#options.onEvent({ kind: 'permit_adopted', permitId, holder: holder.workflowId, requestId });
  }

  #receiveReport(holder: Holder, { permitId, outcome }: PermitReport, nowMs: number): void {
    const permit = this.#ledger.find(permitId);
    if (permit === undefined) {
      // The permit has ended and its slot may be taken: the report must change nothing else.
      this.#ledger.accountFor(permitId, holder);
      this.#options.onEvent({ kind: 'late_report', permitId, holder: holder.workflowId, outcome: outcome.kind });
      return;
    }
    this.#ledger.release(permit);
    if (outcome.kind === 'unused') this.#refund(permit, nowMs);
    this.#updateBreaker(permitId, outcome.kind, outcome.kind === 'failed' ? outcome.message : '', nowMs);
    if (outcome.kind === 'ok' || outcome.kind === 'failed') {
      this.#state.callMs = 0.8 * this.#state.callMs + 0.2 * (nowMs - permit.grantedAtMs);
    }
    if (outcome.kind === 'rate_limited') {
      this.#options.onEvent({ kind: 'rate_limited', holder: holder.workflowId, message: outcome.message });
      this.#throttleAfter(outcome, holder, nowMs);
    }
    // Concurrent calls report the same.
    if (outcome.kind === 'unauthorized' && this.#state.throttle?.unauthorized !== true) {
      const throttle = unauthorizedThrottle(outcome.message, nowMs);
      if (this.#options.keepsLongerThrottle) throttle.untilMs = Math.max(throttle.untilMs, this.#throttledUntilMs);
      this.#throttle(throttle, (throttle.untilMs - nowMs) / 1000, false);
      this.#updates.add(holder);
    }
  }

  #throttleAfter(
    { message, retryAfterSeconds }: Extract<PermitReport['outcome'], { kind: 'rate_limited' }>,
    holder: Holder,
    nowMs: number,
  ): void {
    const { throttle } = this.#state.settings;
    if (throttle === undefined) return;
    const seconds = throttleSeconds(message, retryAfterSeconds, throttle);
    const untilMs = nowMs + seconds * 1000;
    // The longest wait of several concurrent calls applies.
    if (untilMs > this.#throttledUntilMs) this.#throttle({ untilMs, reason: message }, seconds, false);
    this.#updates.add(holder);
  }

  #updateBreaker(
    permitId: string,
    outcome: PermitReport['outcome']['kind'] | 'lost',
    message: string,
    nowMs: number,
  ): void {
    const before = this.#state.breaker;
    const after = recordCall(before, permitId, outcome, this.#limits, nowMs);
    this.#state.breaker = after;
    if (after.kind === 'open' && before.kind !== 'open') {
      this.#options.onEvent({ kind: 'breaker_opened', seconds: this.#limits.breakerSeconds, message });
    }
    if (after.kind === 'closed' && before.kind !== 'closed') this.#options.onEvent({ kind: 'breaker_closed' });
  }

  #withdraw(holder: Holder, requestId: string, nowMs: number): void {
    this.#queue.delete(holder, requestId);
    const permit = this.#ledger.heldFor(holder, requestId);
    if (permit === undefined) return;
    this.#ledger.release(permit);
    this.#refund(permit, nowMs);
    this.#updateBreaker(permit.permitId, 'unused', '', nowMs);
  }

  #refund(permit: HeldPermit, nowMs: number): void {
    if (this.#options.refundsUnused) this.#ledger.refund(permit, this.#limits, nowMs);
  }

  /** Only one run per workflow id is open, so nobody needs the requests and permits of earlier runs. */
  #dropEarlierRuns(holder: Holder, nowMs: number): void {
    const waiting = this.#queue.holderOf(holder.workflowId);
    const known = [...(waiting === undefined ? [] : [waiting]), ...this.#ledger.permits.map((permit) => permit.holder)];
    const earlier = known.filter((other) => other.workflowId === holder.workflowId && !isSameHolder(other, holder));
    const byFirstRun = new Map(earlier.map((other) => [other.firstRunId, other]));
    for (const other of byFirstRun.values()) this.dropLostHolder(other, nowMs);
  }

  #drop(holder: Holder, nowMs: number, callEndMs: number): void {
    this.#queue.deleteAllOf(holder);
    this.#disown(this.#ledger.heldBy(holder), nowMs, callEndMs);
    this.#updates.drop(holder);
  }

  #disown(permits: readonly HeldPermit[], nowMs: number, callEndMs = this.#options.callEndMs): void {
    for (const permit of permits) {
      this.#ledger.disown(permit, nowMs, callEndMs);
      this.#updateBreaker(permit.permitId, 'lost', '', nowMs);
    }
  }

  #expirePermits(nowMs: number): void {
    for (const permit of this.#ledger.expired(nowMs)) {
      this.#ledger.release(permit);
      this.#updateBreaker(permit.permitId, 'lost', '', nowMs);
      const { permitId, holder, requestId } = permit;
      this.#options.onEvent({ kind: 'permit_expired', permitId, holder: holder.workflowId, requestId });
    }
  }

  #throttle(throttle: Throttle, seconds: number, override: boolean): void {
    this.#state.throttle = throttle;
    this.#options.onEvent({ kind: 'throttled', seconds, reason: throttle.reason, override });
    for (const holder of this.#queue.holders()) this.#updates.add(holder);
    for (const { holder } of this.#ledger.permits) this.#updates.add(holder);
  }

  #resume(override: boolean): void {
    if (this.#state.throttle === undefined) return;
    // One probe shows whether the provider accepts the key again. An operator's resume needs no probe.
    if (this.#state.throttle.unauthorized === true && !override) this.#state.breaker = { kind: 'probing' };
    delete this.#state.throttle;
    this.#options.onEvent({ kind: 'resumed', override });
    this.#updates.addEndOfThrottle();
  }

  #takeUpdates(nowMs: number, most: number): LimiterUpdate[] {
    const { due, refused } = this.#updates.take(most, this.#state.throttle !== undefined);
    const state = { ...this.#state, ...this.#ledger.state() };
    const refusals = refused.map((to) => composeRefusal(to, state, this.#queue));
    return [...composeUpdates(due, state, this.#queue, nowMs), ...refusals];
  }
}
