import { type ActivityOptions, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type {
  ContainerActivities,
  FollowerActivities,
  InspectActivities,
  LightActivities,
  ProviderActivities,
  WebhookActivities,
} from '../activities/index.ts';
import type { AttemptContext, ContainerPlace, JobLocation, JobToFollow } from '../contract/activity.ts';
import type { JobResult } from '../contract/http/job.ts';
import {
  containerTaskQueue,
  inspectTaskQueue,
  machineTaskQueue,
  providerTaskQueue,
  webhookTaskQueue,
} from '../contract/task-queues.ts';
import type { ProviderPolicy } from '../contract/provider.ts';
import type { TaskPriority } from '../contract/workflow/priority.ts';

/** For lost workers only: what the activities themselves fail with is non-retryable. */
const afterLostWorker = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;

export const { prepare } = proxyActivities<Pick<LightActivities, 'prepare'>>({
  // It only parses JSON: longer than this means that the worker is gone.
  startToCloseTimeout: '10s',
  retry: afterLostWorker,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

export function webhookActivities() {
  return proxyActivities<WebhookActivities>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    // It gives up by itself after 15 s.
    startToCloseTimeout: '30s',
    // A worker that died at it is no receiver that failed.
    retry: { ...afterLostWorker, maximumAttempts: 5 },
  });
}

/** In the worker of the workflow itself, which answers from its memory most of the time. */
export const { registeredSearchAttributes } = proxyLocalActivities<Pick<LightActivities, 'registeredSearchAttributes'>>(
  {
    startToCloseTimeout: '5s',
    // The run goes on without them.
    retry: { maximumAttempts: 1 },
  },
);

/**
 * Its worker heartbeats every second whatever the job does, and the worker of another machine takes over at once. Long enough
 * for a process that waits for its turn on a loaded machine; where it is too short all the same, the job is followed anew.
 */
const followerHeartbeatTimeout = '6s';

/** At the place of a job: by any worker, or by those of its machine. */
function followingActivities({ machine }: ContainerPlace, options: ActivityOptions) {
  return proxyActivities<FollowerActivities>({
    ...options,
    ...(machine !== undefined && {
      taskQueue: machineTaskQueue(workflowInfo().taskQueue, machine),
      // Longer than a worker takes to come back. A machine that does not is gone, with its container.
      scheduleToStartTimeout: '5m',
    }),
  });
}

export function followJob(summary: string, job: JobToFollow, context: AttemptContext): Promise<JobResult> {
  const activities = followingActivities(job.location, {
    // The container ends a job that stalls or takes too long.
    startToCloseTimeout: '30d',
    heartbeatTimeout: followerHeartbeatTimeout,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
  return activities.followJob.executeWithOptions({ summary }, [job, context]);
}

/** Its container was out of reach, and most often it is gone: the run does not wait for it. */
export function cancelFormerJob(location: JobLocation): Promise<void> {
  return followingActivities(location, {
    startToCloseTimeout: '10s',
    scheduleToCloseTimeout: '10s',
    retry: { maximumAttempts: 1 },
  }).cancelJob(location);
}

export function cancelJob(location: JobLocation): Promise<void> {
  return followingActivities(location, {
    // A container frees its slot within 5 s of the DELETE.
    startToCloseTimeout: '10s',
    // A container that is gone took its job with it: the run need not wait for it for long.
    scheduleToCloseTimeout: '30s',
    retry: { initialInterval: '1s', backoffCoefficient: 1 },
  }).cancelJob(location);
}

export const { providerPolicies } = proxyActivities<Pick<LightActivities, 'providerPolicies'>>({
  // It only looks into the worker's settings.
  startToCloseTimeout: '10s',
  retry: afterLostWorker,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

export const { assembleTranscript, findEarlierChunks } = proxyActivities<
  Pick<LightActivities, 'assembleTranscript' | 'findEarlierChunks'>
>({
  // Thousands of files, each read from the store.
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
export function providerActivities(
  { key, timeoutSeconds }: ProviderPolicy,
  startWithinMs: number | undefined,
  priority: TaskPriority | undefined,
) {
  return proxyActivities<ProviderActivities>({
    taskQueue: providerTaskQueue(workflowInfo().taskQueue, key),
    ...(startWithinMs !== undefined && { scheduleToStartTimeout: startWithinMs }),
    ...(priority !== undefined && { priority }),
    // The activity ends itself at its provider's time limit; this is only for one that cannot.
    startToCloseTimeout: (timeoutSeconds + storageSeconds) * 1000,
    // How soon a lost worker is noticed, and its chunk sent back to the queue.
    heartbeatTimeout: '15s',
    // Another call needs another permit.
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
}

/** The activities that submit a job at a container. No timeout runs while they wait in the queue for one. */
export function containerActivities(priority: TaskPriority | undefined) {
  return proxyActivities<ContainerActivities>({
    taskQueue: containerTaskQueue(workflowInfo().taskQueue),
    ...(priority !== undefined && { priority }),
    // A look at the source is a job, which the container ends where it stalls or takes too long. All other requests take seconds.
    startToCloseTimeout: '30d',
    heartbeatTimeout: followerHeartbeatTimeout,
    retry: afterLostWorker,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
}

/** Of somebody who waits for the answer. */
export function inspectActivities() {
  return proxyActivities<InspectActivities>({
    taskQueue: inspectTaskQueue(workflowInfo().taskQueue),
    // The container itself takes no longer for it; longer than anybody waits.
    scheduleToCloseTimeout: '15m',
    heartbeatTimeout: followerHeartbeatTimeout,
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
