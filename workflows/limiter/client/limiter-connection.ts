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
  unauthorizedThrottle,
} from '../../../contract/limiter.ts';
import type { ProviderPolicy } from '../../../contract/provider.ts';
import { Alarm } from '../alarm.ts';
import { throttleSeconds } from '../policy/rate-limit-error.ts';
import { sendToLimiter } from '../../proxies.ts';
import { type CallOutcome, toPermitReport } from './call-outcome.ts';
import { Outbox, type OutboxContent } from './outbox.ts';
import { OwnGrants } from './own-grants.ts';

/** After so long without an answer, the run goes on without its limiter. */
const answerTimeoutMs = 30_000;
/** While a request waits, it is repeated after this time, then after twice as long and so on: nothing else tells that the limiter was terminated. */
const firstRenewalMs = 30_000;
const longestRenewalMs = 300_000;

export interface ConnectionEvents {
  /** `degraded`: the limiter did not answer, and the run granted the permit to itself. */
  onGranted(permit: Permit, degraded: boolean): void;
  /** The throttle began or ended. */
  onThrottleChanged(): void;
  onChange(): void;
}

/** A run's side of one limiter: its pending requests, the permits that it holds, and whether the limiter answers. */
export class LimiterConnection {
  readonly provider: ProviderPolicy;
  readonly #holder: Holder;
  readonly #events: ConnectionEvents;
  readonly #alarm = new Alarm(() => this.#checkDeadlines());
  /** Requests that are not granted yet, in their order. */
  readonly #waiting = new Set<string>();
  readonly #held = new Map<string, Permit>();
  /** Ids of permits that we gave back: an update that was sent before may still name them. */
  readonly #ended = new Set<string>();
  readonly #outbox = new Outbox((content) => this.#sendMessage(content));
  /** Whether a signal reaches the limiter; else the next message is sent by an activity, which starts the limiter. */
  #running = false;
  #degraded = false;
  #throttle: Throttle | undefined;
  #lastGrantAtMs: number | undefined;
  /** The limiter's sentence, where it does not queue our requests. */
  #refused: string | undefined;
  /** Since when a request is without an answer. */
  #requestedAtMs: number | undefined;
  #renewAtMs = Infinity;
  #renewalMs = firstRenewalMs;
  readonly #own: OwnGrants;

  constructor(provider: ProviderPolicy, holder: Holder, events: ConnectionEvents, throttle: Throttle | undefined) {
    this.provider = provider;
    this.#holder = holder;
    this.#events = events;
    this.#throttle = throttle;
    this.#own = new OwnGrants(provider.limits, holder);
  }

  /** Undefined once its time is over. */
  get throttle(): Throttle | undefined {
    return this.#throttle !== undefined && this.#throttle.untilMs > Date.now() ? this.#throttle : undefined;
  }

  /** No message to the limiter is under way, nor about to be. */
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
    this.giveBack(toPermitReport(permitId, outcome));
    if (this.#degraded) this.#setAlarm();
  }

  giveBack(report: PermitReport): void {
    this.#held.delete(report.permitId);
    this.#ended.add(report.permitId);
    this.#outbox.addReport(report);
    this.#throttleOwn(report.outcome);
    this.#flush();
    this.#grantOwn();
  }

  /** A permit that was granted to this workflow before it continued as new. */
  takeOver(permit: Permit): void {
    this.#held.set(permit.permitId, permit);
  }

  receive(update: LimiterUpdate): void {
    if (this.#degraded) log.info(`Limiter ${this.provider.key} answers again`, this.#facts('limiter_answers'));
    this.#degraded = false;
    this.#running = true;
    this.#requestedAtMs = undefined;
    this.#lastGrantAtMs = update.lastGrantAtMs;
    if (update.refused !== undefined && this.#refused === undefined) log.warn(update.refused, this.#facts('refused'));
    this.#refused = update.refused;
    if (update.refused !== undefined) this.#renewalMs = longestRenewalMs;
    this.#renewAtMs = Date.now() + this.#renewalMs;
    this.#setAlarm();

    const before = this.throttle?.untilMs;
    this.#throttle = update.throttle;
    for (const permit of update.granted) {
      if (this.#held.has(permit.permitId) || this.#ended.has(permit.permitId)) continue;
      this.#held.set(permit.permitId, permit);
      if (this.#waiting.delete(permit.requestId)) this.#events.onGranted(permit, false);
      // Granted before the limiter knew that the request was withdrawn.
      else this.giveBack({ permitId: permit.permitId, outcome: { kind: 'unused' } });
    }
    if (this.throttle?.untilMs !== before) this.#events.onThrottleChanged();
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
    // The outcomes of the last calls count for the breaker and the throttle. Of two signals that are under way Temporal may deliver
    // the later first, and a report behind it would be one of a permit that is over.
    if (this.#running && patched('reports-before-leave')) {
      await CancellationScope.nonCancellable(() => condition(() => this.isIdle || !this.#running));
    }
    if (!this.#running) return;
    const { reports } = this.#outbox.take();
    try {
      await this.#signal({ ...this.#messageBase(), reports, leaves: true });
    } catch {
      // The limiter has ended, and with it all that we held there.
    }
  }

  /** When the time for an answer, the time to repeat the requests, or a throttle of our own may be over. */
  #checkDeadlines(): void {
    if (this.#waiting.size === 0) return;
    const nowMs = Date.now();
    if (this.#requestedAtMs !== undefined && nowMs >= this.#requestedAtMs + answerTimeoutMs) {
      this.#degrade('it did not answer for 30 s');
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
        `Limiter ${this.provider.key}: ${reason}; going on under each worker's share of the limits`,
        this.#facts('degraded'),
      );
    }
    this.#degraded = true;
    // The next message starts the limiter where it has ended.
    this.#running = false;
    this.#grantOwn();
    this.#events.onChange();
  }

  /** Without its limiter a run grants itself permits; each worker keeps its calls to its share of the limits. */
  #grantOwn(): void {
    while (this.#degraded && this.throttle === undefined && this.#own.mayGrant(this.#held.size, Date.now())) {
      const [requestId] = this.#waiting;
      if (requestId === undefined) return;
      this.withdraw(requestId);
      const permit = this.#own.grant(requestId, Date.now());
      this.#held.set(permit.permitId, permit);
      this.#events.onGranted(permit, true);
    }
  }

  /** A key that is refused, and any while the limiter does not answer, the run suspends itself. The limiter's next update takes the place of this. */
  #throttleOwn(outcome: PermitReport['outcome']): void {
    const throttle = this.#throttleAfter(outcome);
    if (throttle === undefined || throttle.untilMs <= (this.throttle?.untilMs ?? 0)) return;
    this.#throttle = throttle;
    const until = new Date(throttle.untilMs).toISOString();
    log.warn(
      `${this.provider.key}: suspended until ${until} by the run itself: ${throttle.reason}`,
      this.#facts('throttled'),
    );
    this.#events.onThrottleChanged();
    this.#setAlarm();
  }

  #throttleAfter(outcome: PermitReport['outcome']): Throttle | undefined {
    const nowMs = Date.now();
    if (outcome.kind === 'unauthorized') return unauthorizedThrottle(outcome.message, nowMs);
    const { throttle } = this.provider;
    if (outcome.kind !== 'rate_limited' || throttle === undefined || !this.#degraded) return undefined;
    const seconds = throttleSeconds(outcome.message, outcome.retryAfterSeconds, throttle);
    return { untilMs: nowMs + seconds * 1000, reason: outcome.message };
  }

  #flush(): void {
    // The message is of all chunks: the cancellation of the one whose scope this runs in must not stop it.
    void CancellationScope.nonCancellable(() => this.#outbox.flush());
  }

  async #sendMessage({ requests, withdrawals, reports }: OutboxContent): Promise<void> {
    if (this.#running) {
      const message: LimiterMessage = { ...this.#messageBase(), withdrawals, reports };
      if (requests.length > 0) message.requests = requests;
      try {
        await this.#signal(message);
      } catch {
        // Somebody terminated the limiter. A new one must learn all that we request and hold.
        this.#outbox.restoreReports(reports);
        this.#outbox.replaceRequests(this.#waiting);
        this.#requestedAtMs ??= Date.now();
        this.#degrade('it has ended');
      }
    } else {
      // The limiter may be a new one, which knows nothing of us.
      const all = { requests: [...this.#waiting], holding: [...this.#held.values()] };
      const message: LimiterMessage = { ...this.#messageBase(), ...all, withdrawals, reports };
      const { environment, key } = this.provider;
      const summary = `Message to limiter ${key}`;
      await sendToLimiter.executeWithOptions({ summary }, [environment, key, message]);
      this.#running = true;
    }
    this.#setAlarm();
  }

  async #signal(message: LimiterMessage): Promise<void> {
    const limiterId = limiterWorkflowId(this.provider.environment, this.provider.key);
    await getExternalWorkflowHandle(limiterId).signal(limiterSignals.message, message);
  }

  /** Part of every message. */
  #messageBase(): Pick<LimiterMessage, 'from' | 'settings'> {
    const { limits, throttle } = this.provider;
    return { from: this.#holder, settings: throttle === undefined ? { limits } : { limits, throttle } };
  }

  #facts(event: string) {
    return { event, provider: this.provider.key };
  }
}
