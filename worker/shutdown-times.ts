import type { WorkerOptions } from '@temporalio/worker';

/** Time for short activities to end after SIGTERM; waiting activities continue at the next worker. */
export const shutdownGraceSeconds = 5;
/** Additional time before the forced end: work that still runs has hung. */
const forceAfterSeconds = 15;

export function shutdownTimes(graceSeconds: number): Pick<WorkerOptions, 'shutdownGraceTime' | 'shutdownForceTime'> {
  return { shutdownGraceTime: `${graceSeconds}s`, shutdownForceTime: `${graceSeconds + forceAfterSeconds}s` };
}
