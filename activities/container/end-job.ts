import { setTimeout as pause } from 'node:timers/promises';
import type { JobLocation } from '../../contract/activity.ts';
import type { ContainerClients } from './client.ts';
import { OtherInstance } from './errors.ts';

/** The container frees its slot within 5 s of the DELETE; the rest allows for the requests. */
const endTimeoutMs = 8_000;

/** Cancels a job and waits until its ffmpeg has ended. A job whose container was replaced needs no cancellation. */
export async function endJob(clients: ContainerClients, location: JobLocation): Promise<void> {
  const container = clients(location);
  const signal = AbortSignal.timeout(endTimeoutMs);
  try {
    await container.cancel(location, signal);
    while ((await container.job(location, signal))?.state === 'running') await pause(100, undefined, { signal });
  } catch (error) {
    if (!(error instanceof OtherInstance)) throw error;
  }
}
