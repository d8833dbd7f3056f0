import type { RetryPolicy } from './retry-policy.ts';

/** Time that a step has used, without the time its attempts queued for a container. */
export interface Elapsed {
  waitedSeconds: number;
  /** Whole seconds of each attempt. An immediate answer counts 0, so attempt n of a busy container starts on time. */
  ranWholeSeconds: number;
  ranMs: number;
}

export const noTime: Elapsed = { waitedSeconds: 0, ranWholeSeconds: 0, ranMs: 0 };

export function withAttempt(elapsed: Elapsed, ranMs: number): Elapsed {
  // A NaN from an activity would poison every later sum.
  const ms = Number.isFinite(ranMs) && ranMs > 0 ? ranMs : 0;
  return {
    ...elapsed,
    ranWholeSeconds: elapsed.ranWholeSeconds + Math.floor(ms / 1000),
    ranMs: elapsed.ranMs + ms,
  };
}

export function withWait(elapsed: Elapsed, seconds: number): Elapsed {
  return { ...elapsed, waitedSeconds: elapsed.waitedSeconds + seconds };
}

/**
 * Elapsed time of the step. Dropped fractions add up over thousands of attempts; they may consume the policy's buffer,
 * but no more.
 */
export function elapsedSeconds(elapsed: Elapsed, policy: RetryPolicy): number {
  const counted = elapsed.waitedSeconds + elapsed.ranWholeSeconds;
  const exact = elapsed.waitedSeconds + elapsed.ranMs / 1000;
  return Math.max(counted, exact - policy.retryBuffer);
}
