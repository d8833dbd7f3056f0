import type { ProviderLimits } from '../../../contract/provider.ts';
import { type Breaker, mayGrant } from './breaker.ts';
import { freeAtMs, hourMs, minuteMs, type SlidingWindow } from '../../../contract/rate/sliding-window.ts';
import { type BucketLimits, hasToken, type TokenBucket, tokenAtMs } from '../../../contract/rate/token-bucket.ts';

export interface LimiterSituation {
  nowMs: number;
  limits: ProviderLimits;
  inUse: number;
  window: SlidingWindow;
  /** Refilled up to now. */
  bucket: TokenBucket;
  /** Advanced to now. */
  breaker: Breaker;
  throttledUntilMs?: number | undefined;
}

export type Decision =
  | { kind: 'grant' }
  /** Without `untilMs`, only a report or an expired permit changes the decision. */
  | { kind: 'wait'; reason: 'throttled' | 'breaker' | 'permits' | 'rate' | 'burst'; untilMs?: number };

export function decide({
  nowMs,
  limits,
  inUse,
  window,
  bucket,
  breaker,
  throttledUntilMs,
}: LimiterSituation): Decision {
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

/** Tokens refill at the rate of `requestsPerMinute`. */
export function bucketLimits({ burstLimit, requestsPerMinute }: ProviderLimits): BucketLimits {
  return { burstLimit, refillPerSecond: requestsPerMinute / 60 };
}
