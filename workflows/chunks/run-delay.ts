import type { ProviderLimits } from '../../contract/provider.ts';

export interface RunQueueFacts {
  nowMs: number;
  limits: ProviderLimits;
  /** how long a call of this run has taken on average */
  callMs: number;
  /** chunks that no limiter has given an expected time for */
  notAsked: number;
  inCall: number;
  /** ms of the epoch: the last grant that the limiters expect for this run */
  lastGrantAtMs: number | undefined;
  /** ms of the epoch: the end of the longest backoff */
  backoffUntilMs: number | undefined;
  /** ms of the epoch: when the first of the run's keys is open again; undefined where one is open */
  throttledUntilMs: number | undefined;
}

/** Seconds until the last chunk is likely to have ended: the limiters' estimate for requests that wait there, and the rest at the pace of the limits. */
export function runDelaySeconds(queue: RunQueueFacts): number {
  const { nowMs, limits, callMs, notAsked, inCall } = queue;
  const beginsMs = Math.max(
    nowMs,
    queue.lastGrantAtMs ?? 0,
    queue.backoffUntilMs ?? 0,
    notAsked > 0 ? (queue.throttledUntilMs ?? 0) : 0,
  );
  const waits = inCall + notAsked > 0 || beginsMs > nowMs;
  return waits ? Math.ceil((beginsMs + notAsked * paceMs(limits, callMs) + callMs - nowMs) / 1000) : 0;
}

/** From one grant to the next where many wait: the slowest of the limits sets it. */
function paceMs(limits: ProviderLimits, callMs: number): number {
  return Math.max(60_000 / limits.requestsPerMinute, 3_600_000 / limits.requestsPerHour, callMs / limits.maxConcurrent);
}
