import { definedFields } from '../../contract/defined-fields.ts';
import type { Holder } from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { bucketLimits } from './policy/admission.ts';
import { addGrant, dropOldGrants, removeGrant, type SlidingWindow } from '../../contract/rate/sliding-window.ts';
import { refill, returnToken, takeToken, type TokenBucket } from '../../contract/rate/token-bucket.ts';
import { isOwnGrant } from './client/own-grants.ts';
import { account, countUnaccounted, type EarlierPermits, noneLeft } from './earlier-permits.ts';
import type { HeldPermit, LimiterState } from './limiter-state.ts';
import { isSameHolder } from './request-queue.ts';

type LedgerState = Pick<LimiterState, 'permits' | 'window' | 'bucket' | 'earlier'>;

/** Permits in use, and the counters of granted permits for the rate limits. */
export class PermitLedger {
  #permits: HeldPermit[];
  #window: SlidingWindow;
  #bucket: TokenBucket | undefined;
  #earlier: EarlierPermits | undefined;

  constructor({ permits, window, bucket, earlier }: LedgerState) {
    this.#earlier = earlier?.untilMs === 0 ? noneLeft : earlier;
    this.#permits = [...permits];
    this.#window = window;
    this.#bucket = bucket;
  }

  state(): LedgerState {
    return {
      permits: this.#permits,
      window: this.#window,
      ...definedFields({ bucket: this.#bucket, earlier: this.#earlier }),
    };
  }

  get permits(): readonly HeldPermit[] {
    return this.#permits;
  }

  /** Permits in use, including those of an earlier limiter that may be. */
  inUse({ maxConcurrent }: ProviderLimits, nowMs: number): number {
    return this.#permits.length + countUnaccounted(this.#earlier, maxConcurrent, nowMs);
  }

  /** Times at which permits end by themselves. */
  endsMs(): number[] {
    const ends = this.#permits.map(({ expiresAtMs }) => expiresAtMs);
    return this.#earlier === undefined || this.#earlier === noneLeft ? ends : [...ends, this.#earlier.untilMs];
  }

  /** Notes that this holder has named a permit, which it has not granted itself. */
  accountFor(permitId: string, { firstRunId }: Holder): void {
    if (this.#earlier === undefined || isOwnGrant(permitId, firstRunId)) return;
    this.#earlier = account(this.#earlier, permitId);
  }

  get window(): SlidingWindow {
    return this.#window;
  }

  bucket(limits: ProviderLimits, nowMs: number): TokenBucket {
    return refill(this.#bucket, bucketLimits(limits), nowMs);
  }

  advance(limits: ProviderLimits, nowMs: number): void {
    this.#window = dropOldGrants(this.#window, nowMs);
    this.#bucket = this.bucket(limits, nowMs);
    const isOver = countUnaccounted(this.#earlier, limits.maxConcurrent, nowMs) === 0;
    if (this.#earlier !== undefined && isOver) this.#earlier = noneLeft;
  }

  add(permit: HeldPermit, limits: ProviderLimits): void {
    const { grantedAtMs } = permit;
    this.#permits.push(permit);
    this.#window = addGrant(this.#window, grantedAtMs);
    this.#bucket = takeToken(this.bucket(limits, grantedAtMs));
  }

  release({ permitId }: HeldPermit): void {
    this.#permits = this.#permits.filter((permit) => permit.permitId !== permitId);
  }

  /** Removes a permit without a call from the counters. */
  refund({ grantedAtMs }: HeldPermit, limits: ProviderLimits, nowMs: number): void {
    this.#window = removeGrant(this.#window, grantedAtMs);
    this.#bucket = returnToken(this.bucket(limits, nowMs), bucketLimits(limits));
  }

  find(permitId: string): HeldPermit | undefined {
    return this.#permits.find((permit) => permit.permitId === permitId);
  }

  heldFor(holder: Holder, requestId: string): HeldPermit | undefined {
    return this.#permits.find((permit) => permit.requestId === requestId && isSameHolder(permit.holder, holder));
  }

  heldBy(holder: Holder): HeldPermit[] {
    return this.#permits.filter((permit) => isSameHolder(permit.holder, holder));
  }

  expired(nowMs: number): HeldPermit[] {
    return this.#permits.filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
  }
}
