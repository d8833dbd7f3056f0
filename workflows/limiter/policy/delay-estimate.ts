import type { ProviderLimits } from '../../../contract/provider.ts';
import { bucketLimits } from './admission.ts';
import { hourMs, minuteMs, type SlidingWindow } from './sliding-window.ts';
import { refilled, type TokenBucket, tokenAtMs, withoutToken } from './token-bucket.ts';

export interface Queue {
  nowMs: number;
  limits: ProviderLimits;
  /** ms of the epoch: when each permit in use is expected back */
  permitsBackAtMs: readonly number[];
  window: SlidingWindow;
  bucket: TokenBucket;
  /** Of a throttle or an open breaker. */
  closedUntilMs: number;
  /** What a call takes. */
  callMs: number;
}

/** Beyond this, each further one is expected at the pace of those before. */
const playedThrough = 3_000;

/** When each of the next `count` grants is to be expected, by playing them through. */
export function expectedGrantsMs(queue: Queue, count: number): number[] {
  const { limits, nowMs, callMs } = queue;
  const grants = lastGrantsMs(queue.window);
  const before = grants.length;
  const backAt = queue.permitsBackAtMs.map((ms) => Math.max(ms, nowMs)).sort((a, b) => a - b);
  let bucket = queue.bucket;
  let lastMs = Math.max(nowMs, queue.closedUntilMs);
  for (let given = 0; given < Math.min(count, playedThrough); given += 1) {
    const next = before + given;
    const minuteFree = (grants[next - limits.requestsPerMinute] ?? -Infinity) + minuteMs;
    const hourFree = (grants[next - limits.requestsPerHour] ?? -Infinity) + hourMs;
    const permitFree = backAt.length < limits.maxConcurrent ? 0 : (backAt[backAt.length - limits.maxConcurrent] ?? 0);
    const rateFree = Math.max(lastMs, minuteFree, hourFree, permitFree);
    bucket = refilled(bucket, bucketLimits(limits), rateFree);
    lastMs = Math.max(rateFree, tokenAtMs(bucket, bucketLimits(limits)));
    bucket = withoutToken(refilled(bucket, bucketLimits(limits), lastMs));
    grants.push(lastMs);
    backAt.push(lastMs + callMs);
  }
  const expected = grants.slice(before);
  const paceMs = (lastMs - nowMs) / Math.max(1, expected.length);
  for (let given = expected.length; given < count; given += 1) expected.push((lastMs += paceMs));
  return expected;
}

/** More of them would cost more to play through than the estimate is worth. */
const rememberedGrants = 20_000;

function lastGrantsMs(window: SlidingWindow): number[] {
  const newestFirst: number[] = [];
  for (let index = window.length - 1; index >= 0 && newestFirst.length < rememberedGrants; index -= 1) {
    const [atMs, count] = window[index] ?? [0, 0];
    for (let counted = 0; counted < count; counted += 1) newestFirst.push(atMs);
  }
  return newestFirst.toReversed();
}
