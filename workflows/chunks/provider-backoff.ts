import type { ProviderBackoff } from '../../contract/provider.ts';
import { providerWaitSeconds } from '../limiter/policy/provider-wait.ts';

/**
 * Seconds to wait after the failed attempt with this number, counted from 1. `exponential` yields 2, 4, 8, 16, 30, 30 … by
 * default; `jitter` spreads chunks that failed at the same time. A longer wait that the provider asks for is honoured.
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
