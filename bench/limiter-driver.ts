import { RunPermits } from '../workflows/limiter/client/run-permits.ts';
import type { ProviderPolicy } from '../contract/provider.ts';
import { newRunKey } from '../workflows/run/run-key.ts';

// Workflow code, bundled by bench/limiter.ts into real workers: the real limiter and the real side of a run, without calls.
export { limiter } from '../workflows/limiter/limiter.ts';

/** ms of the epoch */
export type PermitTimes = [askedAt: number, grantedAt: number];

/** `lanes` requests at a time, each lane `turns` of them one after the other; a permit is given back as soon as it is there. */
export async function takePermits(provider: ProviderPolicy, lanes: number, turns: number): Promise<PermitTimes[]> {
  const times: PermitTimes[] = [];
  const permits = new RunPermits(newRunKey(), [provider], () => undefined);
  const lane = async (name: number) => {
    for (let turn = 0; turn < turns; turn += 1) {
      const askedAtMs = Date.now();
      await permits.withPermit(`${name}.${turn}`, async () => {
        times.push([askedAtMs, Date.now()]);
        return { kind: 'ok' };
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, name) => lane(name)));
  await permits.leave();
  return times;
}
