import type { LimiterSettings, Holder, LimitsOverride, Permit, Throttle } from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { type Breaker, closedBreaker } from './policy/breaker.ts';
import type { SlidingWindow } from './policy/sliding-window.ts';
import type { TokenBucket } from './policy/token-bucket.ts';
import type { QueuedGroups } from './request-queue.ts';

export interface HeldPermit extends Permit {
  holder: Holder;
  grantedAtMs: number;
}

/** All that a limiter remembers, and hands to its next run. */
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
  /** Who was told of the throttle and has to hear of its end. */
  throttleTold: Holder[];
  /** Who asked and has no answer yet. */
  pendingUpdates: Holder[];
  /** Permits so far, for their ids. */
  issued: number;
  /** What a call takes, smoothed. */
  callMs: number;
}

/** Until calls have told better. */
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

/** What was set by hand stands over the settings. A permit only becomes longer by it: the settings' calls must fit in. */
export function limitsOf({ settings, override }: Pick<LimiterState, 'settings' | 'override'>): ProviderLimits {
  const set = Object.entries(override).filter(([, value]) => value !== null);
  const limits: ProviderLimits = { ...settings.limits, ...Object.fromEntries(set) };
  return { ...limits, permitSeconds: Math.max(limits.permitSeconds, settings.limits.permitSeconds) };
}
