import type { ProviderLimits } from '../../contract/provider.ts';
import {
  addGrant,
  dropOldGrants,
  freeAtMs,
  hourMs,
  minuteMs,
  type SlidingWindow,
} from '../../contract/rate/sliding-window.ts';
import { hasToken, refill, takeToken, type TokenBucket, tokenAtMs } from '../../contract/rate/token-bucket.ts';

/** Wait before the next try if room depends only on the end of another call. */
const busyWaitMs = 5_000;

/**
 * This worker's calls of one key and its share of the key's limits, which apply while the limiter is silent. Calls
 * under a permit count too, so the limits still hold when the limiter falls silent.
 */
export class WorkerShare {
  readonly #limits: ProviderLimits;
  #window: SlidingWindow = [];
  #bucket: TokenBucket | undefined;
  #underWay = 0;
  #nowMs = 0;

  constructor(limits: ProviderLimits) {
    this.#limits = limits;
  }

  /** Records the start of a permitted call, or of a call within the share. The caller must call `end`. */
  start(nowMs: number, workers = 1): void {
    this.#advance(nowMs);
    this.#underWay += 1;
    this.#window = addGrant(this.#window, this.#nowMs);
    this.#bucket = takeToken(this.#refilled(workers));
  }

  /**
   * Starts a call without a permit if this worker's share, the limits divided by `workers`, allows it. Returns the wait
   * in milliseconds; 0 if the call is started.
   */
  tryStart(workers: number, nowMs: number): number {
    this.#advance(nowMs);
    const waitMs = this.#waitMs(workers);
    if (waitMs === 0) this.start(nowMs, workers);
    return waitMs;
  }

  end(): void {
    this.#underWay -= 1;
  }

  #waitMs(workers: number): number {
    const { maxConcurrent, requestsPerMinute, requestsPerHour } = this.#limits;
    if (this.#underWay >= Math.max(1, Math.floor(maxConcurrent / workers))) return busyWaitMs;
    const bucket = this.#refilled(workers);
    const freeAt = Math.max(
      this.#freeAtMs(requestsPerMinute, minuteMs, workers),
      this.#freeAtMs(requestsPerHour, hourMs, workers),
      hasToken(bucket) ? 0 : tokenAtMs(bucket, this.#bucketLimits(workers)),
    );
    return Math.max(0, freeAt - this.#nowMs);
  }

  /** Each worker makes one call in a longer period if workers outnumber calls. */
  #freeAtMs(limit: number, spanMs: number, workers: number): number {
    return limit >= workers
      ? freeAtMs(this.#window, spanMs, Math.floor(limit / workers))
      : freeAtMs(this.#window, (spanMs * workers) / limit, 1);
  }

  #refilled(workers: number): TokenBucket {
    return refill(this.#bucket, this.#bucketLimits(workers), this.#nowMs);
  }

  #bucketLimits(workers: number) {
    const { burstLimit, requestsPerMinute } = this.#limits;
    return { burstLimit: Math.max(1, burstLimit / workers), refillPerSecond: requestsPerMinute / 60 / workers };
  }

  /** Activities may start in another order than the server scheduled them. */
  #advance(nowMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    this.#window = dropOldGrants(this.#window, this.#nowMs);
  }
}
