/** Limits bursts: the bucket starts full, each grant takes a token, and tokens refill over time. */
export interface TokenBucket {
  tokens: number;
  /** ms of the epoch at which it held `tokens` */
  atMs: number;
}

export interface BucketLimits {
  burstLimit: number;
  refillPerSecond: number;
}

/** Sums of fractions may fall slightly short of a whole token. */
const roundingError = 1e-9;

export function refill(bucket: TokenBucket | undefined, limits: BucketLimits, nowMs: number): TokenBucket {
  if (bucket === undefined) return { tokens: limits.burstLimit, atMs: nowMs };
  const gained = (Math.max(0, nowMs - bucket.atMs) / 1000) * limits.refillPerSecond;
  return { tokens: Math.min(limits.burstLimit, bucket.tokens + gained), atMs: Math.max(nowMs, bucket.atMs) };
}

export function hasToken(bucket: TokenBucket): boolean {
  return bucket.tokens >= 1 - roundingError;
}

export function takeToken(bucket: TokenBucket): TokenBucket {
  return { ...bucket, tokens: Math.max(0, bucket.tokens - 1) };
}

export function returnToken(bucket: TokenBucket, { burstLimit }: BucketLimits): TokenBucket {
  return { ...bucket, tokens: Math.min(burstLimit, bucket.tokens + 1) };
}

/** Earliest time at which the bucket holds a whole token; may be in the past. */
export function tokenAtMs(bucket: TokenBucket, limits: BucketLimits): number {
  if (hasToken(bucket)) return bucket.atMs;
  return bucket.atMs + Math.ceil(((1 - bucket.tokens) / limits.refillPerSecond) * 1000);
}
