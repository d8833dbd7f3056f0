import { CancellationScope, condition, getExternalWorkflowHandle, log, patched } from '@temporalio/workflow';
import {
  type Holder,
  type LimiterMessage,
  type LimiterUpdate,
  type LimiterView,
  type Permit,
  type PermitReport,
  type Throttle,
  limiterSignals,
  limiterWorkflowId,
} from '../../../contract/limiter.ts';
import type { ProviderPolicy } from '../../../contract/provider.ts';
import { Alarm } from '../alarm.ts';
import { sendToLimiter } from '../../proxies.ts';
import { type CallOutcome, toPermitReport } from './call-outcome.ts';
import { Outbox, type OutboxContent } from './outbox.ts';
import { OwnGrants } from './own-grants.ts';
import { isKeptApart, openThrottles, ownThrottle, throttleAfterUpdate } from './own-throttle.ts';

/** After this time without an answer, the run continues without its limiter. */
const answerTimeoutMs = 30_000;
/** First interval after which a waiting request is repeated; it doubles. Only repetition detects a terminated limiter. */
const firstRenewalMs = 30_000;
const longestRenewalMs = 300_000;

export interface ConnectionEvents {
  /** `degraded`: the limiter did not respond and the run granted the permit to itself. `runId`: that of the holder. */
  onGranted(permit: Permit, degraded: boolean, runId?: string): void;
  onThrottleChanged(): void;
  onChange(): void;
}

/** A run's connection to one limiter: its pending requests, its permits, and whether the limiter responds. */
export class LimiterConnection {
  readonly provider: ProviderPolicy;
  readonly #holder: Holder;
  readonly #events: ConnectionEvents;
  readonly #alarm = new Alarm(() => this.#checkDeadlines());
  readonly #waiting = new Set<string>();
  readonly #held = new Map<string, Permit>();
  /** Ids of returned permits, which an update sent earlier may still name. */
  readonly #ended = new Set<string>();
  readonly #outbox = new Outbox((content) => this.#sendMessage(content));
  /** Whether the limiter can be signalled. Otherwise an activity sends the next message and starts the limiter. */
  #running = false;
  #degraded = false;
  /** Whether the next message names all held permits. */
  #mustNameHeld = false;
  #throttle: Throttle | undefined;
  /** The run's own suspension after a 403, which its limiter neither knows nor ends. */
  #suspension: Throttle | undefined;
  #lastGrantAtMs: number | undefined;
  /** The limiter's message if it refuses to queue the requests. */
  #refused: string | undefined;
  /** Time of the oldest unanswered request. */
  #requestedAtMs: number | undefined;
  #renewAtMs = Infinity;
  #renewalMs = firstRenewalMs;
  readonly #own: OwnGrants;

  constructor(provider: ProviderPolicy, holder: Holder, events: ConnectionEvents, throttles: readonly Throttle[]) {
    this.provider = provider;
    this.#holder = holder;
    this.#events = events;
    this.#suspension = throttles.find(isKeptApart);
    this.#throttle = throttles.find((throttle) => throttle !== this.#suspension);
    this.#own = new OwnGrants(provider.limits, holder);
  }

  get throttles(): Throttle[] {
    return openThrottles([this.#throttle, this.#suspension], Date.now());
  }

  /** The throttle that ends last; undefined once it has ended. */
  get throttle(): Throttle | undefined {
    return this.throttles[0];
  }

  get isIdle(): boolean {
    return this.#outbox.isIdle;
  }

  request(requestId: string): void {
    this.#waiting.add(requestId);
    this.#outbox.addRequest(requestId);
    this.#requestedAtMs ??= Date.now();
    this.#renewalMs = firstRenewalMs;
    this.#flush();
    this.#setAlarm();
  }

  withdraw(requestId: string): void {
    if (!this.#waiting.delete(requestId)) return;
    this.#outbox.addWithdrawal(requestId);
    this.#flush();
  }

  endCall(permitId: string, outcome: CallOutcome): void {
    if (this.#degraded) this.#own.recordEnd(outcome, Date.now());
    this.#throttleOwn(outcome);
    this.giveBack(toPermitReport(permitId, outcome));
    if (this.#degraded) this.#setAlarm();
  }

  giveBack(report: PermitReport): void {
    this.#held.delete(report.permitId);
    this.#ended.add(report.permitId);
    this.#outbox.addReport(report);
    this.#flush();
    this.#grantOwn();
  }

  /** Registers a permit that was granted before the run continued as new. */
  takeOver(permit: Permit): void {
    this.#held.set(permit.permitId, permit);
  }

  receive(update: LimiterUpdate): void {
    if (this.#degraded) log.info(`Limiter ${this.provider.key} responds again`, this.#facts('limiter_answers'));
    this.#degraded = false;
    this.#running = true;
    this.#requestedAtMs = undefined;
    this.#lastGrantAtMs = update.lastGrantAtMs;
    if (update.refused !== undefined && this.#refused === undefined) log.warn(update.refused, this.#facts('refused'));
    this.#refused = update.refused;
    if (update.refused !== undefined) this.#renewalMs = longestRenewalMs;
    this.#renewAtMs = Date.now() + this.#renewalMs;
    this.#setAlarm();

    const before = this.throttle;
    this.#throttle = throttleAfterUpdate(this.#throttle, update.throttle);
    for (const permit of update.granted) {
      if (this.#held.has(permit.permitId) || this.#ended.has(permit.permitId)) continue;
      this.#held.set(permit.permitId, permit);
      if (this.#waiting.delete(permit.requestId)) this.#events.onGranted(permit, false, update.to.runId);
      // The limiter granted the permit before it knew of the withdrawal.
      else {
        // A limiter that was reset grants it again: it has forgotten the permits that the run holds.
        this.#mustNameHeld = true;
        this.giveBack({ permitId: permit.permitId, outcome: { kind: 'unused' } });
      }
    }
    if (this.throttle?.untilMs !== before?.untilMs) this.#events.onThrottleChanged();
    this.#events.onChange();
  }

  view(): LimiterView {
    const view: LimiterView = { key: this.provider.key, degraded: this.#degraded, waiting: this.#waiting.size };
    if (this.#refused !== undefined) view.refused = this.#refused;
    const { throttle } = this;
    if (throttle !== undefined) {
      view.throttledUntil = new Date(throttle.untilMs).toISOString();
      view.throttleReason = throttle.reason;
    }
    if (this.#waiting.size > 0 && this.#lastGrantAtMs !== undefined) {
      view.lastGrantAt = new Date(this.#lastGrantAtMs).toISOString();
    }
    return view;
  }

  /** Gives back all permits and withdraws all requests. */
  async leave(): Promise<void> {
    this.#waiting.clear();
    // The last reports count towards the breaker and the throttle. Temporal may deliver two signals in reverse order, and a
    // report that arrives after the leave message would name a permit that no longer exists.
    if (this.#running && patched('reports-before-leave')) {
      await CancellationScope.nonCancellable(() => condition(() => this.isIdle || !this.#running));
    }
    if (!this.#running) return;
    const { reports } = this.#outbox.take();
    try {
      await this.#signal({ ...this.#messageBase(), reports, leaves: true });
    } catch {
      // The limiter has ended, so nothing is left to give back.
    }
  }

  /** Handles expired deadlines: for an answer, for repeating requests, and of the run's own throttle. */
  #checkDeadlines(): void {
    if (this.#waiting.size === 0) return;
    const nowMs = Date.now();
    if (this.#requestedAtMs !== undefined && nowMs >= this.#requestedAtMs + answerTimeoutMs) {
      this.#degrade('no response for 30 s');
      this.#repeatRequests();
    } else if (this.#requestedAtMs === undefined && nowMs >= this.#renewAtMs) {
      this.#renewalMs = Math.min(this.#renewalMs * 2, longestRenewalMs);
      this.#repeatRequests();
    }
    this.#grantOwn();
    this.#setAlarm();
  }

  #repeatRequests(): void {
    this.#requestedAtMs = Date.now();
    this.#outbox.replaceRequests(this.#waiting);
    this.#flush();
  }

  #setAlarm(): void {
    if (this.#waiting.size === 0) return;
    const answerByMs = this.#requestedAtMs === undefined ? this.#renewAtMs : this.#requestedAtMs + answerTimeoutMs;
    if (!this.#degraded) return this.#alarm.ringBy(answerByMs);
    const ownAtMs = Math.max(this.throttle?.untilMs ?? 0, this.#own.closedUntilMs);
    this.#alarm.ringBy(ownAtMs > Date.now() ? Math.min(answerByMs, ownAtMs) : answerByMs);
  }

  #degrade(reason: string): void {
    if (!this.#degraded) {
      log.warn(
        `Limiter ${this.provider.key}: ${reason}; continuing within each worker's share of the limits`,
        this.#facts('degraded'),
      );
    }
    this.#degraded = true;
    // The next message restarts the limiter if it has ended.
    this.#running = false;
    this.#grantOwn();
    this.#events.onChange();
  }

  /** Grants permits without the limiter. Each worker limits its calls to its share, those of a former run included. */
  #grantOwn(): void {
    while (this.#degraded && this.throttle === undefined && this.#own.mayGrant(this.#held.size, Date.now())) {
      const [requestId] = this.#waiting;
      if (requestId === undefined) return;
      this.withdraw(requestId);
      const permit = this.#own.grant(requestId, Date.now());
      this.#held.set(permit.permitId, permit);
      this.#mustNameHeld = true;
      this.#events.onGranted(permit, true, this.#holder.runId);
    }
  }

  /** Suspends a rejected key, and a rate-limited key while the limiter is silent. */
  #throttleOwn(outcome: CallOutcome): void {
    const throttle = ownThrottle(outcome, this.#degraded ? this.provider.throttle : undefined, Date.now());
    if (throttle === undefined) return;
    const isShorter = throttle.untilMs <= (this.throttle?.untilMs ?? 0);
    if (isKeptApart(throttle)) this.#suspension = throttle;
    else if (!isShorter) this.#throttle = throttle;
    if (isShorter) return;
    const until = new Date(throttle.untilMs).toISOString();
    log.warn(
      `${this.provider.key}: suspended until ${until} by the run itself: ${throttle.reason}`,
      this.#facts('throttled'),
    );
    this.#events.onThrottleChanged();
    this.#setAlarm();
  }

  #flush(): void {
    // The message serves all chunks, so the cancellation of the current chunk's scope must not stop it.
    void CancellationScope.nonCancellable(() => this.#outbox.flush());
  }

  async #sendMessage({ requests, withdrawals, reports }: OutboxContent): Promise<void> {
    const message: LimiterMessage = { ...this.#messageBase(), withdrawals, reports };
    // A new limiter knows nothing of this run. After a reset, the limiter knows what the run did before the reset.
    const isWhole = !this.#running || this.#holder.runId !== undefined;
    if (isWhole) message.requests = [...this.#waiting];
    else if (requests.length > 0) message.requests = requests;
    if (isWhole || this.#mustNameHeld) message.holding = this.#own.nameAll(this.#held.values());
    if (this.#running) {
      this.#mustNameHeld = false;
      try {
        await this.#signal(message);
      } catch {
        // The limiter was terminated. A new one must learn of all requests and permits.
        this.#outbox.restoreReports(reports);
        this.#outbox.replaceRequests(this.#waiting);
        this.#requestedAtMs ??= Date.now();
        this.#running = false;
        const reason = 'its workflow has ended';
        // Older versions continued without it at once, beside the permits that other runs still held.
        if (!patched('a-new-limiter-follows-a-terminated-one')) this.#degrade(reason);
        else log.warn(`Limiter ${this.provider.key}: ${reason}; starting a new one`, this.#facts('limiter_ended'));
      }
    } else {
      const { environment, key } = this.provider;
      await sendToLimiter.executeWithOptions({ summary: `Message to limiter ${key}` }, [environment, key, message]);
      this.#running = true;
    }
    this.#setAlarm();
  }

  async #signal(message: LimiterMessage): Promise<void> {
    const limiterId = limiterWorkflowId(this.provider.environment, this.provider.key);
    await getExternalWorkflowHandle(limiterId).signal(limiterSignals.message, message);
  }

  #messageBase(): Pick<LimiterMessage, 'from' | 'settings'> {
    const { limits, throttle, readAtMs } = this.provider;
    return { from: this.#holder, settings: { limits, throttle, readAtMs } };
  }

  #facts(event: string) {
    return { event, provider: this.provider.key };
  }
}
