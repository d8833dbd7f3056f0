import type { GateSettings, Holder, LimitsByHand, Permit, Throttle } from '../../contract/limiter.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { type Breaker, closedBreaker } from './policy/breaker.ts';
import type { SlidingWindow } from './policy/sliding-window.ts';
import type { TokenBucket } from './policy/token-bucket.ts';
import type { WaitingGroups } from './request-queue.ts';

export interface HeldPermit extends Permit {
  holder: Holder;
  grantedAtMs: number;
}

/** All that a gate remembers, and hands to its next run. */
export interface GateState {
  key: string;
  settings: GateSettings;
  byHand: LimitsByHand;
  waiting: WaitingGroups;
  permits: HeldPermit[];
  window: SlidingWindow;
  bucket?: TokenBucket;
  breaker: Breaker;
  throttle?: Throttle;
  /** Who was told of the throttle and has to hear of its end. */
  throttleTold: Holder[];
  /** Who asked and has no answer yet. */
  toAnswer: Holder[];
  /** Permits so far, for their ids. */
  issued: number;
  /** What a call takes, smoothed. */
  callMs: number;
}

/** Until calls have told better. */
const presumedCallMs = 10_000;

export function newGate(key: string, settings: GateSettings): GateState {
  return {
    key,
    settings,
    byHand: {},
    waiting: [],
    permits: [],
    window: [],
    breaker: closedBreaker,
    throttleTold: [],
    toAnswer: [],
    issued: 0,
    callMs: presumedCallMs,
  };
}

/** What was set by hand stands over the settings. A permit only becomes longer by it: the settings' calls must fit in. */
export function limitsOf({ settings, byHand }: Pick<GateState, 'settings' | 'byHand'>): ProviderLimits {
  const set = Object.entries(byHand).filter(([, value]) => value !== null);
  const limits: ProviderLimits = { ...settings.limits, ...Object.fromEntries(set) };
  return { ...limits, permitSeconds: Math.max(limits.permitSeconds, settings.limits.permitSeconds) };
}
