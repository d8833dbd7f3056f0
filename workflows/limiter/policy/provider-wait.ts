import { longestProviderWaitSeconds } from '../../../contract/defaults.ts';

/** Seconds to wait because the provider asks for it; 0 where it does not. Its header may hold any number, and neither a timer nor a date takes every one. */
export function providerWaitSeconds(retryAfterSeconds: number | undefined): number {
  if (retryAfterSeconds === undefined || !Number.isFinite(retryAfterSeconds)) return 0;
  return Math.min(retryAfterSeconds, longestProviderWaitSeconds);
}
