import { definedFields } from '../../contract/defined-fields.ts';
import type { Holder, LimiterMessage, PermitReport } from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { bucketLimits } from './policy/admission.ts';
import { addGrant, dropOldGrants, removeGrant, type SlidingWindow } from '../../contract/rate/sliding-window.ts';
import { refill, returnToken, takeToken, type TokenBucket } from '../../contract/rate/token-bucket.ts';
import { isOwnGrant } from './client/own-grants.ts';
import { account, countUnaccounted, type EarlierPermits, noneLeft } from './earlier-permits.ts';
import type { HeldPermit, LimiterState } from './limiter-state.ts';
import { isSameHolder } from './request-queue.ts';

type LedgerState = Pick<LimiterState, 'permits' | 'window' | 'bucket' | 'earlier'>;

/** Stands for the holder of a permit that nobody may use or return. */
const nobody = '';

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

  /** Permits with a holder. */
  get permits(): readonly HeldPermit[] {
    return this.#permits.filter(({ holder }) => holder.firstRunId !== nobody);
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

  /** Takes a permit from its holder, but keeps it in use until its call must have ended. */
  disown(permit: HeldPermit, nowMs: number, callEndMs: number): void {
    this.release(permit);
    if (callEndMs === 0) return;
    const untilMs = nowMs + callEndMs;
    const holder = { ...permit.holder, firstRunId: nobody };
    this.#permits.push({ ...permit, holder, expiresAtMs: Math.min(permit.expiresAtMs, untilMs) });
  }

  /** Permits of the sender that it no longer names after its reset. It keeps those that it names. */
  leftBeforeReset({ from, holding = [], reports = [] }: LimiterMessage): HeldPermit[] {
    if (from.runId === undefined) return [];
    const ids = new Set([...holding, ...reports.filter(isAnswered)].map(({ permitId }) => permitId));
    const former = this.heldBy(from).filter(({ holder }) => holder.runId !== from.runId);
    for (const permit of former) if (ids.has(permit.permitId)) permit.holder = from;
    return former.filter(({ permitId }) => !ids.has(permitId));
  }

  has(permitId: string): boolean {
    return this.#permits.some((permit) => permit.permitId === permitId);
  }

  find(permitId: string): HeldPermit | undefined {
    return this.permits.find((permit) => permit.permitId === permitId);
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

/** A repeated call starts after the end of the former call, so an answer shows that both have ended. */
function isAnswered({ outcome }: PermitReport): boolean {
  return outcome.kind !== 'broken_off' && outcome.kind !== 'unused';
}
