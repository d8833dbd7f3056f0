import type { ProviderLimits } from '../../../contract/provider.ts';
import { type Breaker, mayGrant } from './breaker.ts';
import { freeAtMs, hourMs, minuteMs, type SlidingWindow } from './sliding-window.ts';
import { type BucketLimits, hasToken, type TokenBucket, tokenAtMs } from './token-bucket.ts';

export interface LimiterSituation {
  nowMs: number;
  limits: ProviderLimits;
  inUse: number;
  window: SlidingWindow;
  /** as of now */
  bucket: TokenBucket;
  /** as of now */
  breaker: Breaker;
  throttledUntilMs?: number | undefined;
}

export type Admission =
  | { kind: 'grant' }
  /** Without `untilMs` nothing but a report, or the end of a permit, changes anything. */
  | { kind: 'wait'; reason: 'throttled' | 'breaker' | 'permits' | 'rate' | 'burst'; untilMs?: number };

/** May one more permit go out? */
export function admission({
  nowMs,
  limits,
  inUse,
  window,
  bucket,
  breaker,
  throttledUntilMs,
}: LimiterSituation): Admission {
  if (throttledUntilMs !== undefined && throttledUntilMs > nowMs) {
    return { kind: 'wait', reason: 'throttled', untilMs: throttledUntilMs };
  }
  if (!mayGrant(breaker)) {
    return breaker.kind === 'open'
      ? { kind: 'wait', reason: 'breaker', untilMs: breaker.untilMs }
      : { kind: 'wait', reason: 'breaker' };
  }
  if (inUse >= limits.maxConcurrent) return { kind: 'wait', reason: 'permits' };
  const rateFreeAtMs = Math.max(
    freeAtMs(window, minuteMs, limits.requestsPerMinute),
    freeAtMs(window, hourMs, limits.requestsPerHour),
  );
  if (rateFreeAtMs > nowMs) return { kind: 'wait', reason: 'rate', untilMs: rateFreeAtMs };
  if (!hasToken(bucket)) return { kind: 'wait', reason: 'burst', untilMs: tokenAtMs(bucket, bucketLimits(limits)) };
  return { kind: 'grant' };
}

/** Bursts refill at the rate that the minute allows. */
export function bucketLimits({ burstLimit, requestsPerMinute }: ProviderLimits): BucketLimits {
  return { burstLimit, refillPerSecond: requestsPerMinute / 60 };
}
