import { setTimeout as pause } from 'node:timers/promises';
import type { ContainerClient } from './client.ts';

/** The container promises the slot free within 5 s of the DELETE; a little more for the way. */
const endTimeoutMs = 8_000;

/** Cancels a job and waits until its ffmpeg is gone. */
export async function endJob(container: ContainerClient, jobId: string): Promise<void> {
  const signal = AbortSignal.timeout(endTimeoutMs);
  await container.cancel(jobId, signal);
  while ((await container.job(jobId, signal))?.state === 'running') await pause(100, undefined, { signal });
}
