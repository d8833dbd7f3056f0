import type { LimitsByHand, ThrottleByHand } from '../../contract/limiter.ts';
import { longestProviderWaitSeconds } from '../../contract/names.ts';
import type { ProviderLimits } from '../../contract/provider.ts';

// These signals come from anybody's client. What makes no sense is refused, since a date that cannot be written, or a rate of nothing, would
// stop the gate for good.

const limitKinds: Record<keyof ProviderLimits, 'count' | 'seconds'> = {
  maxConcurrent: 'count',
  requestsPerMinute: 'count',
  requestsPerHour: 'count',
  burstLimit: 'count',
  permitSeconds: 'seconds',
  breakerFailures: 'count',
  breakerSeconds: 'seconds',
};

/** More of anything is no limit. */
const most = 10_000_000;

export function isThrottle(signal: unknown): signal is ThrottleByHand {
  return (
    isRecord(signal) &&
    isPositive(signal['seconds'], longestProviderWaitSeconds) &&
    typeof signal['reason'] === 'string' &&
    signal['reason'] !== ''
  );
}

export function isLimits(signal: unknown): signal is LimitsByHand {
  return isRecord(signal) && Object.entries(signal).every(([name, value]) => isLimit(name, value));
}

function isLimit(name: string, value: unknown): boolean {
  if (!Object.hasOwn(limitKinds, name)) return false;
  if (value === null) return true;
  return isPositive(value, most) && (limitKinds[name as keyof ProviderLimits] === 'seconds' || Number.isInteger(value));
}

function isPositive(value: unknown, max: number): value is number {
  return typeof value === 'number' && value > 0 && value <= max;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
