import { setTimeout as pause } from 'node:timers/promises';
import type { ContainerClient } from './client.ts';

/** The container frees its slot within 5 s of the DELETE; the rest is for the requests themselves. */
const endTimeoutMs = 8_000;

/** Cancels a job and waits until its ffmpeg is gone. */
export async function endJob(container: ContainerClient, jobId: string): Promise<void> {
  const signal = AbortSignal.timeout(endTimeoutMs);
  await container.cancel(jobId, signal);
  while ((await container.job(jobId, signal))?.state === 'running') await pause(100, undefined, { signal });
}
