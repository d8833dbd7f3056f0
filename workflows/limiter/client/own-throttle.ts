import { patched } from '@temporalio/workflow';
import { type Throttle, unauthorizedThrottle } from '../../../contract/limiter.ts';
import type { ThrottleSeconds } from '../../../contract/provider.ts';
import { throttleSeconds } from '../policy/rate-limit-error.ts';
import type { CallOutcome } from './call-outcome.ts';

/** Throttle of a key by the run that made the call. `seconds`: of a rate limit; undefined if only the limiter judges it. */
export function ownThrottle(
  outcome: CallOutcome,
  seconds: ThrottleSeconds | undefined,
  nowMs: number,
): Throttle | undefined {
  if (outcome.kind === 'unauthorized') {
    const throttle = unauthorizedThrottle(outcome.message, nowMs);
    return outcome.forbidden === true ? { ...throttle, own: true } : throttle;
  }
  if (outcome.kind !== 'rate_limited' || seconds === undefined) return undefined;
  const untilMs = nowMs + throttleSeconds(outcome.message, outcome.retryAfterSeconds, seconds) * 1000;
  return { untilMs, reason: outcome.message };
}

/** A limiter's update replaces the throttle, except one that the limiter does not know. */
export function throttleAfterUpdate(current: Throttle | undefined, told: Throttle | undefined): Throttle | undefined {
  return told ?? (current?.own === true ? current : undefined);
}

/** Older versions let the next throttle of the limiter replace the run's own suspension. */
export function isKeptApart(throttle: Throttle): boolean {
  return throttle.own === true && patched('own-suspensions-outlast-throttles');
}

/** The throttles that have not ended, the last to end first. */
export function openThrottles(throttles: readonly (Throttle | undefined)[], nowMs: number): Throttle[] {
  return throttles
    .filter((throttle): throttle is Throttle => throttle !== undefined && throttle.untilMs > nowMs)
    .toSorted((a, b) => b.untilMs - a.untilMs);
}
