import { longestProviderWaitSeconds } from '../../../contract/defaults.ts';

/** What a provider asks us to wait; 0 where it asks for nothing that makes sense. A header may hold any number, and no timer or date takes them all. */
export function askedSeconds(retryAfterSeconds: number | undefined): number {
  if (retryAfterSeconds === undefined || !Number.isFinite(retryAfterSeconds)) return 0;
  return Math.min(retryAfterSeconds, longestProviderWaitSeconds);
}
