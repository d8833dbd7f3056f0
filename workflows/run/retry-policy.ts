import { definedFields } from '../../contract/defined-fields.ts';
import type { RetryOverrides } from '../../contract/workflow/retry.ts';

/** All values in seconds. */
export interface RetryPolicy {
  /** How long one step may be retried, counted from the start of its first attempt. */
  maxRetryTime: number;
  baseDelay: number;
  /** Upper limit of the backoff. A 429's `retryAfter` is not capped. */
  maxDelay: number;
  /** Reserved at the end of `maxRetryTime` for the last attempt to run. */
  retryBuffer: number;
}

export const defaultRetryPolicy: RetryPolicy = { maxRetryTime: 3600, baseDelay: 10, maxDelay: 300, retryBuffer: 30 };

export function retryPolicy(overrides: RetryOverrides | undefined): RetryPolicy {
  return { ...defaultRetryPolicy, ...definedFields(overrides ?? {}) };
}

/** Seconds; a new name takes minutes to spread, and a misspelt one never appears. */
const unknownHostSeconds = 600;
const longestUnknownHostWait = 60;

/** The policy while the host name of a source or a store does not exist; `since` is the step's elapsed time. */
export function unknownHostPolicy(policy: RetryPolicy, since: number): RetryPolicy {
  return {
    ...policy,
    maxRetryTime: Math.min(policy.maxRetryTime, since + unknownHostSeconds),
    maxDelay: Math.min(policy.maxDelay, longestUnknownHostWait),
  };
}
