import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerClient } from '../../activities/container/client.ts';

const pauseMs = 2_000;

/**
 * Waits while a container of the worker drains. A pod ends only when its container has ended its job, and without the
 * worker's metrics that long end would look like a dead worker.
 */
export async function untilContainersDrained(
  containers: readonly ContainerClient[],
  onWait: () => void,
): Promise<void> {
  const { signal } = new AbortController();
  for (let round = 1; ; round += 1) {
    const draining = await Promise.all(containers.map(async (container) => container.isDraining(signal)));
    if (!draining.includes(true)) return;
    if (round === 1) onWait();
    await delay(pauseMs);
  }
}
