import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds before each retry. Longer outages are left to the retries of workflows. */
export const retryDelaysMs = {
  /** an upload, and a download that brings no further byte */
  transfer: [500, 2_000, 5_000],
  /** a paid answer, which is worth several tries within the activity's timeout */
  paidAnswer: [500, 2_000, 5_000, 15_000],
  /** the abort of an upload by a caller who waits; parts in transit may arrive meanwhile */
  abort: [500, 1_000, 2_000],
  /** the abort of a multipart upload that the job does not wait for; about ten minutes */
  backgroundAbort: [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, ...Array<number>(9).fill(60_000)],
} as const satisfies Record<string, readonly number[]>;

interface RetryOptions {
  delaysMs: readonly number[];
  mayRetry(error: unknown): boolean;
  onRetry?(error: unknown, delayMs: number): void | Promise<void>;
  signal?: AbortSignal;
  /** Whether the delays keep the process alive; they do by default. */
  ref?: boolean;
}

/** Repeats a failed attempt after each delay. Throws the last error, one that may not be retried, or the signal's reason. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { delaysMs, mayRetry, onRetry, signal, ref = true }: RetryOptions,
): Promise<Result> {
  for (const delayMs of delaysMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayRetry(error)) throw error;
      await onRetry?.(error, delayMs);
    }
    await delay(delayMs, undefined, { ref, ...(signal !== undefined && { signal }) }).catch(() =>
      signal?.throwIfAborted(),
    );
  }
  return await attempt();
}
