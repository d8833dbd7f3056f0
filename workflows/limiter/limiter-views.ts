import type { LimiterDetails, LimiterStats } from '../../contract/limiter.ts';
import { bucketLimits } from './policy/admission.ts';
import { advanceBreaker } from './policy/breaker.ts';
import { countWithin, hourMs, minuteMs } from '../../contract/rate/sliding-window.ts';
import { countSlots, dropOldSlots } from './policy/worker-slots.ts';
import { refill } from '../../contract/rate/token-bucket.ts';
import { countUnaccounted } from './earlier-permits.ts';
import { grantLimitsOf, type LimiterState, limitsOf } from './limiter-state.ts';
import type { RequestQueue } from './request-queue.ts';

/** Answers the query `stats`. The state may be hours old, so everything that has ended since is left out. */
export function viewStats(state: LimiterState, queue: RequestQueue, nowMs: number): LimiterStats {
  const limits = limitsOf(state);
  const { window } = state;
  const throttle = state.throttle !== undefined && state.throttle.untilMs > nowMs ? state.throttle : undefined;
  const bucket = refill(state.bucket, bucketLimits(limits), nowMs);
  const lastHour = countWithin(window, hourMs, nowMs);
  return {
    requests_last_minute: countWithin(window, minuteMs, nowMs),
    limit_per_minute: limits.requestsPerMinute,
    requests_last_hour: lastHour,
    limit_per_hour: limits.requestsPerHour,
    burst_tokens_remaining: Math.floor(bucket.tokens * 100) / 100,
    burst_limit: limits.burstLimit,
    total_requests_tracked: lastHour,
    permits_in_use:
      state.permits.filter(({ expiresAtMs }) => expiresAtMs > nowMs).length +
      countUnaccounted(state.earlier, grantLimitsOf(state).maxConcurrent, nowMs),
    max_concurrent: limits.maxConcurrent,
    waiting: queue.size,
    throttled: throttle !== undefined,
    throttle_until: throttle === undefined ? null : new Date(throttle.untilMs).toISOString(),
    throttle_reason: throttle?.reason ?? null,
  };
}

export function viewDetails(state: LimiterState, queue: RequestQueue, nowMs: number): LimiterDetails {
  const limits = limitsOf(state);
  const breaker = advanceBreaker(state.breaker, nowMs);
  return {
    stats: viewStats(state, queue, nowMs),
    limits,
    settings: state.settings.limits,
    override: state.override,
    slots: countSlots(dropOldSlots(state.workers ?? [], nowMs)) ?? null,
    breaker: {
      state: breaker.kind,
      failuresInRow: breaker.kind === 'closed' ? breaker.failuresInRow : limits.breakerFailures,
      until: breaker.kind === 'open' ? new Date(breaker.untilMs).toISOString() : null,
    },
    permits: state.permits
      .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
      .map(({ permitId, holder, requestId, expiresAtMs }) => ({
        permitId,
        holder: holder.workflowId,
        requestId,
        expiresAt: new Date(expiresAtMs).toISOString(),
      })),
    waiting: queue.holders().map((holder) => ({ holder: holder.workflowId, requests: queue.countOf(holder) })),
  };
}
