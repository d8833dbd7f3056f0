import type { ProviderLimits } from '../../contract/provider.ts';

export interface RunQueue {
  nowMs: number;
  limits: ProviderLimits;
  /** What a call takes, as this run has seen it. */
  callMs: number;
  /** Chunks that no limiter knows of yet. */
  notAsked: number;
  inCall: number;
  /** ms of the epoch, each of them only where there is such a thing: the last grant that the limiters expect to give us … */
  lastGrantAtMs: number | undefined;
  /** … the end of the longest backoff … */
  backoffUntilMs: number | undefined;
  /** … and of the throttle of all keys that the run may use. */
  throttledUntilMs: number | undefined;
}

/** Seconds until the last chunk is likely to have ended: what the limiters say of those that wait, and the rest at the pace of the limits. */
export function runDelaySeconds(queue: RunQueue): number {
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

/** From one grant to the next where many wait: the slowest of the limits says. */
function paceMs(limits: ProviderLimits, callMs: number): number {
  return Math.max(60_000 / limits.requestsPerMinute, 3_600_000 / limits.requestsPerHour, callMs / limits.maxConcurrent);
}
