import type { Holder } from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { bucketLimits } from './policy/admission.ts';
import { addGrant, dropOldGrants, removeGrant, type SlidingWindow } from '../../contract/rate/sliding-window.ts';
import { refill, returnToken, takeToken, type TokenBucket } from '../../contract/rate/token-bucket.ts';
import type { HeldPermit, LimiterState } from './limiter-state.ts';
import { isSameHolder } from './request-queue.ts';

type LedgerState = Pick<LimiterState, 'permits' | 'window' | 'bucket'>;

/** Permits in use, and the counters of granted permits for the rate limits. */
export class PermitLedger {
  #permits: HeldPermit[];
  #window: SlidingWindow;
  #bucket: TokenBucket | undefined;

  constructor({ permits, window, bucket }: LedgerState) {
    this.#permits = [...permits];
    this.#window = window;
    this.#bucket = bucket;
  }

  state(): LedgerState {
    const counted = { permits: this.#permits, window: this.#window };
    return this.#bucket === undefined ? counted : { ...counted, bucket: this.#bucket };
  }

  get permits(): readonly HeldPermit[] {
    return this.#permits;
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
