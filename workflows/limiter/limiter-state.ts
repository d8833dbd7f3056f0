import type { LimiterSettings, Holder, LimitsOverride, Permit, Throttle } from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { type Breaker, closedBreaker } from './policy/breaker.ts';
import type { SlidingWindow } from '../../contract/rate/sliding-window.ts';
import type { TokenBucket } from '../../contract/rate/token-bucket.ts';
import { countSlots, type ReportedSlots } from './policy/worker-slots.ts';
import type { QueuedGroups } from './request-queue.ts';

export interface HeldPermit extends Permit {
  holder: Holder;
  grantedAtMs: number;
}

/** All that a limiter knows; it continues as new with it. */
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
  /** Holders that were told of the throttle, and must be told of its end. */
  throttleTold: Holder[];
  /** Holders to which an update is due. */
  pendingUpdates: Holder[];
  /** Holders whose requests the limiter has no room for, and that are not told yet. */
  refused?: Holder[];
  /** Number of permits granted so far; part of their ids. */
  issued: number;
  /** How long a call takes: a moving average. */
  callMs: number;
  /** Of the workers that have reported. */
  workers?: ReportedSlots[];
}

/** Before any call has ended. */
const presumedCallMs = 10_000;

export function newLimiter(key: string, settings: LimiterSettings): LimiterState {
  return {
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

/** The operator's override takes precedence over the settings. It can make permits longer, not shorter: the calls' time limit must fit in. */
export function limitsOf({ settings, override }: Pick<LimiterState, 'settings' | 'override'>): ProviderLimits {
  const set = Object.entries(override).filter(([, value]) => value !== null);
  const limits: ProviderLimits = { ...settings.limits, ...Object.fromEntries(set) };
  return { ...limits, permitSeconds: Math.max(limits.permitSeconds, settings.limits.permitSeconds) };
}

/** What permits are granted by: one that no worker has a slot for would pass without a call. */
export function grantLimitsOf(state: Pick<LimiterState, 'settings' | 'override' | 'workers'>): ProviderLimits {
  const limits = limitsOf(state);
  return { ...limits, maxConcurrent: Math.min(limits.maxConcurrent, countSlots(state.workers ?? []) ?? Infinity) };
}
