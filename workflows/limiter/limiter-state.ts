import type {
  EarlierLimiter,
  LimiterSettings,
  Holder,
  LimitsOverride,
  Permit,
  Throttle,
} from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { type Breaker, closedBreaker } from './policy/breaker.ts';
import type { SlidingWindow } from '../../contract/rate/sliding-window.ts';
import type { TokenBucket } from '../../contract/rate/token-bucket.ts';
import type { EarlierPermits } from './earlier-permits.ts';
import { countSlots, type ReportedSlots } from './policy/worker-slots.ts';
import type { QueuedGroups } from './request-queue.ts';

export interface HeldPermit extends Permit {
  holder: Holder;
  grantedAtMs: number;
}

/** Complete state of a limiter, passed on when it continues as new. */
export interface LimiterState {
  key: string;
  settings: LimiterSettings;
  override: LimitsOverride;
  waiting: QueuedGroups;
  permits: HeldPermit[];
  window: SlidingWindow;
  bucket?: TokenBucket;
  breaker: Breaker;
  throttle?: Throttle;
  /** Holders that were informed of the throttle, and are informed of its end. */
  throttleTold: Holder[];
  pendingUpdates: Holder[];
  /** Holders that must still learn that the limiter has no room for their requests. */
  refused?: Holder[];
  /** Number of granted permits, used in their ids. */
  issued: number;
  /** Moving average of a call's duration. */
  callMs: number;
  workers?: ReportedSlots[];
  earlier?: EarlierPermits;
}

/** Assumed duration of a call before any has ended. */
const presumedCallMs = 10_000;

export function newLimiter(key: string, settings: LimiterSettings, earlier?: EarlierLimiter): LimiterState {
  const untilMs = earlier === undefined ? 0 : earlier.endedAtMs + settings.limits.permitSeconds * 1000;
  return {
    ...(earlier !== undefined && { earlier: { untilMs, accounted: [] } }),
    key,
    settings,
    override: {},
    waiting: [],
    permits: [],
    window: [],
    breaker: closedBreaker,
    throttleTold: [],
    pendingUpdates: [],
    issued: 0,
    callMs: presumedCallMs,
  };
}

/**
 * A run repeats the settings that it has read, also after an operator has changed them. Older settings only lengthen the
 * permits: the time limit of the run's calls must fit. The permits stay so long when the newer settings are repeated,
 * because any message may grant permits to any run.
 */
export function newerSettings(current: LimiterSettings, next: LimiterSettings): LimiterSettings {
  // Runs of older versions state no time; among them, each message counts.
  if (next.readAtMs === undefined && current.readAtMs === undefined) return next;
  if ((next.readAtMs ?? 0) > (current.readAtMs ?? 0)) return next;
  const permitSeconds = Math.max(current.limits.permitSeconds, next.limits.permitSeconds);
  return { ...current, limits: { ...current.limits, permitSeconds } };
}

/** The operator's override takes precedence, but cannot shorten permits: a call's time limit must fit. */
export function limitsOf({ settings, override }: Pick<LimiterState, 'settings' | 'override'>): ProviderLimits {
  const set = Object.entries(override).filter(([, value]) => value !== null);
  const limits: ProviderLimits = { ...settings.limits, ...Object.fromEntries(set) };
  return { ...limits, permitSeconds: Math.max(limits.permitSeconds, settings.limits.permitSeconds) };
}

/** Limits for granting: a permit without a free worker slot would expire unused. */
export function grantLimitsOf(state: Pick<LimiterState, 'settings' | 'override' | 'workers'>): ProviderLimits {
  const limits = limitsOf(state);
  return { ...limits, maxConcurrent: Math.min(limits.maxConcurrent, countSlots(state.workers ?? []) ?? Infinity) };
}
