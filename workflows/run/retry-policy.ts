import type { RetryOverrides } from '../../contract/workflow/retry.ts';

/** Seconds, all of them. */
export interface RetryPolicy {
  /** How long one step may be tried, counted from its first attempt's start. */
  maxRetryTime: number;
  baseDelay: number;
  /** Upper limit of the backoff; a 429's `retryAfter` is waited whole. */
  maxDelay: number;
  /** Kept free at the end, so that the last attempt has time to run. */
  retryBuffer: number;
}

export const defaultRetryPolicy: RetryPolicy = { maxRetryTime: 3600, baseDelay: 10, maxDelay: 300, retryBuffer: 30 };

export function retryPolicy(overrides: RetryOverrides | undefined): RetryPolicy {
  return {
    maxRetryTime: overrides?.maxRetryTime ?? defaultRetryPolicy.maxRetryTime,
    baseDelay: overrides?.baseDelay ?? defaultRetryPolicy.baseDelay,
    maxDelay: overrides?.maxDelay ?? defaultRetryPolicy.maxDelay,
    retryBuffer: overrides?.retryBuffer ?? defaultRetryPolicy.retryBuffer,
  };
}
