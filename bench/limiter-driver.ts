import { RunPermits } from '../workflows/limiter/client/run-permits.ts';
import type { ProviderPolicy } from '../contract/provider.ts';
import { newRunKey } from '../workflows/run/run-key.ts';

// Workflow code that bench/limiter.ts bundles into real workers: the real limiter and the run's side of it, without
// calls.
export { limiter } from '../workflows/limiter/limiter.ts';

/** Milliseconds of the epoch. */
export type PermitTimes = [askedAt: number, grantedAt: number];

/**
 * Runs `lanes` lanes in parallel, each with `turns` requests one after the other. A granted permit is returned at once.
 */
export async function takePermits(provider: ProviderPolicy, lanes: number, turns: number): Promise<PermitTimes[]> {
  const times: PermitTimes[] = [];
  const permits = new RunPermits(newRunKey(), [provider], () => undefined);
  const watch = { isForbidden: () => false, onWaiting: () => undefined, onGranted: () => undefined };
  const lane = async (name: number) => {
    for (let turn = 0; turn < turns; turn += 1) {
      const askedAtMs = Date.now();
      const call = async () => {
        times.push([askedAtMs, Date.now()]);
        return { kind: 'ok' } as const;
      };
      await permits.withPermit(`${name}.${turn}`, call, watch);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, name) => lane(name)));
  await permits.leave();
  return times;
}
