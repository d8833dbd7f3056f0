import type { Holder, LimiterUpdate, Throttle } from '../../contract/limiter.ts';
import { bucketLimits } from './policy/admission.ts';
import { estimateGrantsMs, expectedGrantMs } from './policy/delay-estimate.ts';
import { refill } from '../../contract/rate/token-bucket.ts';
import { countUnaccounted } from './earlier-permits.ts';
import { grantLimitsOf, type LimiterState } from './limiter-state.ts';
import { isSameHolder, type RequestQueue } from './request-queue.ts';

/** Updates for these holders: their permits, the number and expected time of their queued requests, and the throttle. */
export function composeUpdates(
  holders: readonly Holder[],
  state: LimiterState,
  queue: RequestQueue,
  nowMs: number,
): LimiterUpdate[] {
  if (holders.length === 0) return [];
  const { key, permits, throttle } = state;
  const lastPlaces = queue.lastPlaces(holders);
  const expectedMs = expectGrantsMs(
    state,
    Math.max(-1, ...holders.map(({ firstRunId }) => lastPlaces.get(firstRunId) ?? -1)) + 1,
    nowMs,
  );
  return holders.map((to) => {
    // All permits, because an earlier update may have been lost.
    const granted = permits
      .filter((permit) => isSameHolder(permit.holder, to))
      .map(({ permitId, requestId, expiresAtMs }) => ({ permitId, requestId, expiresAtMs }));
    const update: LimiterUpdate = { key, to, granted, waiting: queue.countOf(to) };
    if (throttle !== undefined) update.throttle = withoutAnswer(throttle);
    const place = lastPlaces.get(to.firstRunId);
    const lastGrantAtMs = place === undefined ? undefined : expectedGrantMs(expectedMs, place, nowMs);
    if (lastGrantAtMs !== undefined) update.lastGrantAtMs = Math.round(lastGrantAtMs);
    return update;
  });
}

function expectGrantsMs(state: LimiterState, count: number, nowMs: number): number[] {
  if (count === 0) return [];
  const limits = grantLimitsOf(state);
  const { permits, window, bucket, breaker, throttle, callMs, earlier } = state;
  const unaccounted = countUnaccounted(earlier, limits.maxConcurrent, nowMs);
  return estimateGrantsMs(
    {
      nowMs,
      limits,
      permitsBackAtMs: [
        ...permits.map(({ grantedAtMs }) => grantedAtMs + callMs),
        ...Array.from({ length: unaccounted }, () => earlier?.untilMs ?? nowMs),
      ],
      window,
      bucket: refill(bucket, bucketLimits(limits), nowMs),
      closedUntilMs: Math.max(throttle?.untilMs ?? 0, breaker.kind === 'open' ? breaker.untilMs : 0),
      callMs,
    },
    count,
  );
}

/** Refuses to queue a holder's requests, which keeps the state for continuing as new within its limit. */
export function composeRefusal(to: Holder, { key, throttle }: LimiterState, queue: RequestQueue): LimiterUpdate {
  const refused =
    `The queue of limiter ${key} is full: ${queue.holderCount} runs are waiting. ` +
    `The run retries every few minutes.`;
  return {
    key,
    to,
    granted: [],
    waiting: 0,
    refused,
    ...(throttle !== undefined && { throttle: withoutAnswer(throttle) }),
  };
}

/** The answer of a provider that rejects the key may quote the call of another owner. */
function withoutAnswer(throttle: Throttle): Throttle {
  if (throttle.unauthorized !== true) return throttle;
  const reason =
    'unauthorized: The provider rejects this key or is not trusted. Operators see its answer in the state of the limiter.';
  return { ...throttle, reason };
}
