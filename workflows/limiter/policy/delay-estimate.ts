import type { ProviderLimits } from '../../../contract/provider.ts';
import { bucketLimits } from './admission.ts';
import { hourMs, minuteMs, type SlidingWindow } from '../../../contract/rate/sliding-window.ts';
import { refill, type TokenBucket, tokenAtMs, takeToken } from '../../../contract/rate/token-bucket.ts';

export interface QueueFacts {
  nowMs: number;
  limits: ProviderLimits;
  /** ms of the epoch: expected return of each permit in use. */
  permitsBackAtMs: readonly number[];
  window: SlidingWindow;
  bucket: TokenBucket;
  /** ms of the epoch: end of a throttle or an open breaker. */
  closedUntilMs: number;
  callMs: number;
}

/** Grants beyond this number are extrapolated at the average pace. */
const maxSimulated = 1_500;

/** Simulates the next `count` grants, up to a maximum; returns their expected times in ms of the epoch. */
export function estimateGrantsMs(queue: QueueFacts, count: number): number[] {
  const { limits, nowMs, callMs } = queue;
  const grants = lastGrantsMs(queue.window);
  const before = grants.length;
  const backAt = queue.permitsBackAtMs.map((ms) => Math.max(ms, nowMs)).sort((a, b) => a - b);
  let bucket = queue.bucket;
  let lastMs = Math.max(nowMs, queue.closedUntilMs);
  for (let given = 0; given < Math.min(count, maxSimulated); given += 1) {
    const next = before + given;
    const minuteFree = (grants[next - limits.requestsPerMinute] ?? -Infinity) + minuteMs;
    const hourFree = (grants[next - limits.requestsPerHour] ?? -Infinity) + hourMs;
    const permitFree = backAt.length < limits.maxConcurrent ? 0 : (backAt[backAt.length - limits.maxConcurrent] ?? 0);
    const rateFree = Math.max(lastMs, minuteFree, hourFree, permitFree);
    bucket = refill(bucket, bucketLimits(limits), rateFree);
    lastMs = Math.max(rateFree, tokenAtMs(bucket, bucketLimits(limits)));
    bucket = takeToken(refill(bucket, bucketLimits(limits), lastMs));
    grants.push(lastMs);
    backAt.push(lastMs + callMs);
  }
  return grants.slice(before);
}

/** Expected time of the grant at this place, counted from 0, by simulation or extrapolation. */
export function expectedGrantMs(simulatedMs: readonly number[], place: number, nowMs: number): number | undefined {
  const lastMs = simulatedMs.at(-1);
  if (lastMs === undefined || place < simulatedMs.length) return simulatedMs[place];
  const paceMs = (lastMs - nowMs) / simulatedMs.length;
  return lastMs + (place + 1 - simulatedMs.length) * paceMs;
}

/** Past grants that the simulation considers; more would cost too much time. */
const rememberedGrants = 20_000;

function lastGrantsMs(window: SlidingWindow): number[] {
  const newestFirst: number[] = [];
  for (let index = window.length - 1; index >= 0 && newestFirst.length < rememberedGrants; index -= 1) {
    const [atMs, count] = window[index] ?? [0, 0];
    for (let counted = 0; counted < count; counted += 1) newestFirst.push(atMs);
  }
  return newestFirst.toReversed();
}
