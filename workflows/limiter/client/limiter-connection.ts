import { CancellationScope, getExternalWorkflowHandle, log } from '@temporalio/workflow';
import {
  type CallReport,
  type LimiterMessage,
  type LimiterUpdate,
  type LimiterView,
  type Holder,
  type Permit,
  type PermitReport,
  type Throttle,
  limiterSignals,
  limiterWorkflowId,
} from '../../../contract/limiter.ts';
import type { ProviderPolicy } from '../../../contract/provider.ts';
import { Alarm } from '../alarm.ts';
import { throttleSeconds } from '../policy/rate-limit-error.ts';
import { sendToLimiter } from '../../proxies.ts';
import { Outbox } from './outbox.ts';

/** A limiter that has not answered for so long is gone on without. */
const answerMs = 30_000;
/** While a request waits, the limiter is asked again after this, then after twice as long and so on: only so is noticed that it was terminated. */
const firstRenewalMs = 30_000;
const longestRenewalMs = 300_000;

export interface LinkEvents {
  /** `degraded`: the limiter did not answer, and the permit is our own. */
  granted(permit: Permit, degraded: boolean): void;
  /** The throttle began or ended. */
  throttleChanged(): void;
  changed(): void;
}

/** A run's dealings with one limiter: what it waits for and holds there, and whether it answers. */
export class LimiterConnection {
  readonly provider: ProviderPolicy;
  readonly #holder: Holder;
  readonly #events: LinkEvents;
  readonly #alarm = new Alarm(() => this.#look());
  /** Requests without an answer of yes, in their order. */
  readonly #waiting = new Set<string>();
  readonly #held = new Map<string, Permit>();
  /** Ended ones: the limiter's answers may still be on their way with them. */
  readonly #ended = new Set<string>();
  #outbox: Required<Pick<LimiterMessage, 'requests' | 'withdrawals' | 'reports'>> = emptyOutbox();
  readonly #courier = new Outbox(
    () => !isEmpty(this.#outbox),
    () => this.#sendLetter(),
  );
  /** Whether mail can go by a signal; else an activity starts the limiter with it. */
  #running = false;
  #degraded = false;
  #throttle: Throttle | undefined;
  #lastGrantAtMs: number | undefined;
  /** Since when a question is without an answer. */
  #askedAtMs: number | undefined;
  #renewAtMs = Infinity;
  #renewalMs = firstRenewalMs;
  #ownPermits = 0;

  constructor(provider: ProviderPolicy, holder: Holder, events: LinkEvents, throttle: Throttle | undefined) {
    this.provider = provider;
    this.#holder = holder;
    this.#events = events;
    this.#throttle = throttle;
  }

  /** While it lasts. */
  get throttle(): Throttle | undefined {
    return this.#throttle !== undefined && this.#throttle.untilMs > Date.now() ? this.#throttle : undefined;
  }

  /** No mail is under way, nor about to be. */
  get isQuiet(): boolean {
    return !this.#courier.isUnderWay;
  }

  ask(requestId: string): void {
    this.#waiting.add(requestId);
    this.#outbox.requests.push(requestId);
    this.#askedAtMs ??= Date.now();
    this.#renewalMs = firstRenewalMs;
    this.#mail();
    this.#setAlarm();
  }

  withdraw(requestId: string): void {
    if (!this.#waiting.delete(requestId)) return;
    this.#outbox.withdrawals.push(requestId);
    this.#mail();
  }

  /** What the limiter grants from now on to a request that nobody makes any more goes back to it. */
  giveBack(report: PermitReport): void {
    this.#held.delete(report.permitId);
    this.#ended.add(report.permitId);
    this.#outbox.reports.push(report);
    if (this.#degraded) this.#throttleOwn(report.outcome);
    this.#mail();
    this.#grantOwn();
  }

  /** Of an earlier run of ours. */
  takeOver(permit: Permit): void {
    this.#held.set(permit.permitId, permit);
  }

  hear(news: LimiterUpdate): void {
    if (this.#degraded) log.info(`Limiter ${this.provider.key} answers again`, this.#facts('limiter_answers'));
    this.#degraded = false;
    this.#running = true;
    this.#askedAtMs = undefined;
    this.#lastGrantAtMs = news.lastGrantAtMs;
    this.#renewAtMs = Date.now() + this.#renewalMs;
    this.#setAlarm();

    const before = this.throttle?.untilMs;
    this.#throttle = news.throttle;
    for (const permit of news.granted) {
      if (this.#held.has(permit.permitId) || this.#ended.has(permit.permitId)) continue;
      this.#held.set(permit.permitId, permit);
      if (this.#waiting.delete(permit.requestId)) this.#events.granted(permit, false);
      else this.giveBack({ permitId: permit.permitId, outcome: { kind: 'unused' } });
    }
    if (this.throttle?.untilMs !== before) this.#events.throttleChanged();
    this.#events.changed();
  }

  view(): LimiterView {
    const view: LimiterView = { key: this.provider.key, degraded: this.#degraded, waiting: this.#waiting.size };
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

  /** Gives up all that we wait for and hold. */
  async leave(): Promise<void> {
    this.#waiting.clear();
    if (!this.#running) return;
    // What the last calls came to, the limiter has to hear before.
    const { reports } = this.#outbox;
    this.#outbox = emptyOutbox();
    try {
      await this.#signal({ ...this.#letter(), reports, leaves: true });
    } catch {
      // It is gone, and with it all that we had there.
    }
  }

  /** At the end of a wait for an answer, or of a quiet time. */
  #look(): void {
    if (this.#waiting.size === 0) return;
    const nowMs = Date.now();
    if (this.#askedAtMs !== undefined && nowMs >= this.#askedAtMs + answerMs) {
      this.#becomeDegraded('it did not answer for 30 s');
      this.#askAgain();
    } else if (this.#askedAtMs === undefined && nowMs >= this.#renewAtMs) {
      this.#renewalMs = Math.min(this.#renewalMs * 2, longestRenewalMs);
      this.#askAgain();
    }
    this.#grantOwn();
    this.#setAlarm();
  }

  #askAgain(): void {
    this.#askedAtMs = Date.now();
    this.#outbox.requests = [...this.#waiting];
    this.#mail();
  }

  #setAlarm(): void {
    if (this.#waiting.size === 0) return;
    const answerByMs = this.#askedAtMs === undefined ? this.#renewAtMs : this.#askedAtMs + answerMs;
    this.#alarm.ringBy(this.#degraded ? Math.min(answerByMs, this.throttle?.untilMs ?? Infinity) : answerByMs);
  }

  #becomeDegraded(why: string): void {
    if (!this.#degraded) {
      log.warn(`Limiter ${this.provider.key}: ${why}; going on under each worker's own limit`, this.#facts('degraded'));
    }
    this.#degraded = true;
    // The next letter starts it where it has ended.
    this.#running = false;
    this.#grantOwn();
    this.#events.changed();
  }

  /** As many at once as the limiter would allow at most; the limit of each worker holds beside that. */
  #grantOwn(): void {
    const { maxConcurrent, permitSeconds } = this.provider.limits;
    while (this.#degraded && this.throttle === undefined && this.#held.size < maxConcurrent) {
      const [requestId] = this.#waiting;
      if (requestId === undefined) return;
      this.withdraw(requestId);
      this.#ownPermits += 1;
      const permitId = `${this.#holder.firstRunId}-own-${this.#ownPermits}-${Date.now()}`;
      const permit = { permitId, requestId, expiresAtMs: Date.now() + permitSeconds * 1000 };
      this.#held.set(permitId, permit);
      this.#events.granted(permit, true);
    }
  }

  /** While the limiter does not answer, nobody else suspends the key. What the limiter says later counts more. */
  #throttleOwn(outcome: CallReport): void {
    const { key, throttle } = this.provider;
    if (outcome.kind !== 'rate_limited' || throttle === undefined) return;
    const seconds = throttleSeconds(outcome.message, outcome.retryAfterSeconds, throttle);
    const untilMs = Date.now() + seconds * 1000;
    if (untilMs <= (this.throttle?.untilMs ?? 0)) return;
    this.#throttle = { untilMs, reason: outcome.message };
    log.warn(`${key}: suspended for ${seconds}s without its limiter: ${outcome.message}`, this.#facts('throttled'));
    this.#events.throttleChanged();
    this.#setAlarm();
  }

  #mail(): void {
    // One caller's cancellation must not stop the mail of all.
    void CancellationScope.nonCancellable(() => this.#courier.run());
  }

  async #sendLetter(): Promise<void> {
    const { requests, withdrawals, reports } = this.#outbox;
    this.#outbox = emptyOutbox();
    if (this.#running) {
      const letter: LimiterMessage = { ...this.#letter(), withdrawals, reports };
      if (requests.length > 0) letter.requests = requests;
      try {
        await this.#signal(letter);
      } catch {
        // Ended by somebody's hand. What we have there it no longer knows.
        this.#outbox.reports.unshift(...reports);
        this.#outbox.requests = [...this.#waiting];
        this.#askedAtMs ??= Date.now();
        this.#becomeDegraded('it has ended');
      }
    } else {
      // The limiter may be a new one: it learns all.
      const asked = { requests: [...this.#waiting], holding: [...this.#held.values()] };
      const letter: LimiterMessage = { ...this.#letter(), ...asked, withdrawals, reports };
      const { environment, key } = this.provider;
      await sendToLimiter.executeWithOptions({ summary: `Ask limiter ${key}` }, [environment, key, letter]);
      this.#running = true;
    }
    this.#setAlarm();
  }

  async #signal(letter: LimiterMessage): Promise<void> {
    const limiterId = limiterWorkflowId(this.provider.environment, this.provider.key);
    await getExternalWorkflowHandle(limiterId).signal(limiterSignals.message, letter);
  }

  #letter(): Pick<LimiterMessage, 'from' | 'settings'> {
    const { limits, throttle } = this.provider;
    return { from: this.#holder, settings: throttle === undefined ? { limits } : { limits, throttle } };
  }

  #facts(event: string) {
    return { event, provider: this.provider.key };
  }
}

function emptyOutbox() {
  return { requests: [] as string[], withdrawals: [] as string[], reports: [] as PermitReport[] };
}

function isEmpty({ requests, withdrawals, reports }: ReturnType<typeof emptyOutbox>): boolean {
  return requests.length === 0 && withdrawals.length === 0 && reports.length === 0;
}
