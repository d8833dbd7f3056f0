import { longestProviderWaitSeconds } from '../../../contract/defaults.ts';

/**
 * Seconds that the provider asks to wait, else 0. The cap exists because neither timers nor dates accept every number.
 */
export function providerWaitSeconds(retryAfterSeconds: number | undefined): number {
  if (retryAfterSeconds === undefined || !Number.isFinite(retryAfterSeconds)) return 0;
  return Math.min(retryAfterSeconds, longestProviderWaitSeconds);
}
