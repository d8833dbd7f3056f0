/** Allows bursts: full at first, emptied by grants, refilled with time. */
export interface TokenBucket {
  tokens: number;
  /** ms of the epoch, when it held so many */
  atMs: number;
}

export interface BucketLimits {
  burstLimit: number;
  refillPerSecond: number;
}

/** Sums of fractions come out a hair below the whole token that they stand for. */
const hair = 1e-9;

export function refilled(bucket: TokenBucket | undefined, limits: BucketLimits, nowMs: number): TokenBucket {
  if (bucket === undefined) return { tokens: limits.burstLimit, atMs: nowMs };
  const gained = (Math.max(0, nowMs - bucket.atMs) / 1000) * limits.refillPerSecond;
  return { tokens: Math.min(limits.burstLimit, bucket.tokens + gained), atMs: Math.max(nowMs, bucket.atMs) };
}

export function hasToken(bucket: TokenBucket): boolean {
  return bucket.tokens >= 1 - hair;
}

export function withoutToken(bucket: TokenBucket): TokenBucket {
  return { ...bucket, tokens: Math.max(0, bucket.tokens - 1) };
}

/** When it holds a whole token; now or earlier where it does already. */
export function tokenAtMs(bucket: TokenBucket, limits: BucketLimits): number {
  if (hasToken(bucket)) return bucket.atMs;
  return bucket.atMs + Math.ceil(((1 - bucket.tokens) / limits.refillPerSecond) * 1000);
}
