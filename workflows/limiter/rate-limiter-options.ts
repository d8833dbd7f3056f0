import type { LimiterEvent } from './limiter-event.ts';
import type { LimiterState } from './limiter-state.ts';

export interface RateLimiterOptions {
  permitId(number: number): string;
  /** Whether a permit without a call counts towards no limit. */
  refundsUnused: boolean;
  /** Time for which a call may continue after its run has ended. 0: older histories, which free its permit at once. */
  callEndMs: number;
  /** The same for a run that leaves by itself, as a cancelled one does. A run that completes has no open calls. */
  leaverCallEndMs: number;
  /** Chooses between the current settings and those of a message. Older histories take those of each message. */
  chooseSettings(current: LimiterState['settings'], next: LimiterState['settings']): LimiterState['settings'];
  /** Whether a rejected call leaves a longer suspension of its key as long as it is. Older histories shorten it. */
  keepsLongerThrottle: boolean;
  onEvent: (event: LimiterEvent) => void;
}
