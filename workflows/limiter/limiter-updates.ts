import type { Holder, LimiterUpdate } from '../../contract/limiter.ts';
import { bucketLimits } from './policy/admission.ts';
import { estimateGrantsMs, expectedGrantMs } from './policy/delay-estimate.ts';
import { refill } from '../../contract/rate/token-bucket.ts';
import { grantLimitsOf, type LimiterState } from './limiter-state.ts';
import { isSameHolder, type RequestQueue } from './request-queue.ts';

/** What each of these holders is told: all permits that it holds, how many of its requests wait and for how long, and the throttle. */
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
    // Those that it was told of before, too: that update may have been lost.
    const granted = permits
      .filter((permit) => isSameHolder(permit.holder, to))
      .map(({ permitId, requestId, expiresAtMs }) => ({ permitId, requestId, expiresAtMs }));
    const update: LimiterUpdate = { key, to, granted, waiting: queue.countOf(to) };
    if (throttle !== undefined) update.throttle = throttle;
    const place = lastPlaces.get(to.firstRunId);
    const lastGrantAtMs = place === undefined ? undefined : expectedGrantMs(expectedMs, place, nowMs);
    if (lastGrantAtMs !== undefined) update.lastGrantAtMs = Math.round(lastGrantAtMs);
    return update;
  });
}

/** When each of the first requests of the queue is expected to be granted. */
function expectGrantsMs(state: LimiterState, count: number, nowMs: number): number[] {
  if (count === 0) return [];
  const limits = grantLimitsOf(state);
  const { permits, window, bucket, breaker, throttle, callMs } = state;
  return estimateGrantsMs(
    {
      nowMs,
      limits,
      permitsBackAtMs: permits.map(({ grantedAtMs }) => grantedAtMs + callMs),
      window,
      bucket: refill(bucket, bucketLimits(limits), nowMs),
      closedUntilMs: Math.max(throttle?.untilMs ?? 0, breaker.kind === 'open' ? breaker.untilMs : 0),
      callMs,
    },
    count,
  );
}

/** The holder's requests are not queued: the state with which the limiter continues as new has an end. */
export function composeRefusal(to: Holder, { key, throttle }: LimiterState, queue: RequestQueue): LimiterUpdate {
  const refused =
    `The limiter of ${key} has no room for this run: ${queue.holderCount} runs wait there already. ` +
    `The run asks again every few minutes.`;
  return { key, to, granted: [], waiting: 0, refused, ...(throttle !== undefined && { throttle }) };
}
