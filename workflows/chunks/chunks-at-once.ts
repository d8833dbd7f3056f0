import type { ProviderPolicy } from '../../contract/provider.ts';

/** Chunks that wait for or hold a permit: enough to use every permit, few enough to hand over to the next run. */
export function chunksAtOnce(providers: readonly ProviderPolicy[]): number {
  const permits = providers.reduce((sum, { limits }) => sum + limits.maxConcurrent, 0);
  return Math.min(200, Math.max(20, 2 * permits));
}
