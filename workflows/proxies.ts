import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ContainerActivities, LightActivities, ProviderActivities } from '../activities/index.ts';
import { containerTaskQueue, providerTaskQueue } from '../contract/task-queues.ts';
import type { ProviderPolicy } from '../contract/provider.ts';

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

export const { providerPolicies } = proxyActivities<Pick<LightActivities, 'providerPolicies'>>({
  // It only looks into the worker's settings.
  startToCloseTimeout: '10s',
  retry: afterLostWorker,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

export const { assembleTranscript } = proxyActivities<Pick<LightActivities, 'assembleTranscript'>>({
  // Thousands of answers, each read from the store.
  startToCloseTimeout: '30m',
  // One answer, or one transcript to be written.
  heartbeatTimeout: '2m',
  // A store that is away comes back; one that is away for an hour is somebody's task.
  scheduleToCloseTimeout: '1h',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

/** Beside the provider's own time: the chunk read before, and its answer written after. */
const storageSeconds = 60;

/** A call to a provider under a permit that is good for `startWithinMs`: one that found no free slot by then is not made. */
export function providerActivities({ key, timeoutSeconds }: ProviderPolicy, startWithinMs: number | undefined) {
  return proxyActivities<ProviderActivities>({
    taskQueue: providerTaskQueue(workflowInfo().taskQueue, key),
    ...(startWithinMs !== undefined && { scheduleToStartTimeout: startWithinMs }),
    // The activity ends itself at its provider's time limit; this is only for one that cannot.
    startToCloseTimeout: (timeoutSeconds + storageSeconds) * 1000,
    // How soon a lost worker is noticed, and its chunk sent back to the queue.
    heartbeatTimeout: '15s',
    // Another call needs another permit.
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
}

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

/** Where a limiter may have to be started: workflow code can signal, but not start. */
export const { sendToLimiter } = proxyActivities<Pick<LightActivities, 'sendToLimiter'>>({
  // One request to the server.
  startToCloseTimeout: '10s',
  retry: afterLostWorker,
});
