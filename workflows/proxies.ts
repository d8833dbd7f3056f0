import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ContainerActivities, LightActivities, ProviderActivities } from '../activities/index.ts';
import { containerTaskQueue, providerTaskQueue } from '../contract/task-queues.ts';
import type { ProviderPolicy } from '../contract/provider.ts';

/** For lost workers only: what the activities themselves fail with is non-retryable. */
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
  // A container that is gone took its job with it: the run need not wait for it for long.
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
  // A store that is unreachable for an hour needs a person.
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

/** The activities that hold a container. No timeout runs while they wait in the queue for one. */
export function containerActivities() {
  return proxyActivities<ContainerActivities>({
    taskQueue: containerTaskQueue(workflowInfo().taskQueue),
    // The container ends jobs that stall; this limit is only for a job that nothing else ends.
    startToCloseTimeout: '24h',
    // How soon a lost worker is noticed. Heartbeats follow ffmpeg's progress; a job that is only slow is joined again after
    // this, and is not lost. Longer than the timeout of a request to a dead container, or that would never be reported.
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
