import type { ProviderLimits } from '../../contract/provider.ts';

export interface RunQueueFacts {
  nowMs: number;
  limits: ProviderLimits;
  /** Average duration of this run's calls. */
  callMs: number;
  /** Chunks without an expected time from a limiter. */
  notAsked: number;
  inCall: number;
  /** ms of the epoch: the last grant that the limiters expect to make to this run. */
  lastGrantAtMs: number | undefined;
  /** ms of the epoch: end of the longest backoff. */
  backoffUntilMs: number | undefined;
  /** ms of the epoch at which the first throttled key is open again; undefined if any key is open now. */
  throttledUntilMs: number | undefined;
}

/** Expected seconds until the last chunk ends: the limiters' estimate for queued requests, the limits' pace for the rest. */
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

/** Interval between grants under load; the strictest limit determines it. */
function paceMs(limits: ProviderLimits, callMs: number): number {
  return Math.max(60_000 / limits.requestsPerMinute, 3_600_000 / limits.requestsPerHour, callMs / limits.maxConcurrent);
}
