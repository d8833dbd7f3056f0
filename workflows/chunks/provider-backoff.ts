import type { ProviderBackoff } from '../../contract/provider.ts';
import { providerWaitSeconds } from '../limiter/policy/provider-wait.ts';

/**
 * Seconds to wait after the failed attempt of this number, counted from 1. `exponential`: 2, 4, 8, 16, 30, 30 … at the defaults.
 * `jitter` spreads chunks that failed at the same time. Where the provider asks for longer, it is that long.
 */
export function providerBackoffSeconds(
  attempt: number,
  { strategy, min, max, multiplier }: ProviderBackoff,
  retryAfterSeconds: number | undefined,
  /** 0 to 1 */
  random: () => number,
): number {
  const asked = providerWaitSeconds(retryAfterSeconds);
  switch (strategy) {
    case 'exponential':
      return Math.max(asked, Math.min(min * multiplier ** (attempt - 1), max));
    case 'jitter':
      return Math.max(asked, Math.min(min * multiplier ** attempt * (0.1 + 0.9 * random()), max));
  }
}
