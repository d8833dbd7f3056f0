import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ContainerActivities, LightActivities } from '../activities/index.ts';
import { containerTaskQueue } from '../contract/names.ts';

/** They only ever repeat after a lost worker: what the activities themselves fail with is never retried by Temporal. */
const afterLostWorker = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;

export const { prepare } = proxyActivities<Pick<LightActivities, 'prepare'>>({
  // It only parses JSON: longer than this means that the worker is gone.
  startToCloseTimeout: '10s',
  retry: afterLostWorker,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

export const { cancelJob } = proxyActivities<Pick<LightActivities, 'cancelJob'>>({
  // A container frees its slot within 5 s of the DELETE.
  startToCloseTimeout: '10s',
  // Nobody waits for ever for a container that is gone together with its job.
  scheduleToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
});

/** The activities that hold a container. Where they stand in its queue, no timeout runs. */
export function containerActivities() {
  return proxyActivities<ContainerActivities>({
    taskQueue: containerTaskQueue(workflowInfo().taskQueue),
    // The container itself ends jobs that stall; this is only the end of a run that nobody can end otherwise.
    startToCloseTimeout: '24h',
    // How soon a lost worker is noticed. Heartbeats tell of ffmpeg's progress, and a job that is only slow is joined again
    // after this, not lost. Longer than a question to a dead container takes, or its silence would never be reported.
    heartbeatTimeout: '20s',
    retry: afterLostWorker,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
}
