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
import { callEndSeconds } from '../contract/provider-call.ts';
import {
  containerTaskQueue,
  inspectTaskQueue,
  machineTaskQueue,
  providerTaskQueue,
  webhookTaskQueue,
} from '../contract/task-queues.ts';
import type { ProviderNeeds, ProviderPolicy } from '../contract/provider.ts';
import type { Requester } from '../contract/requester.ts';
import type { WorkflowInputs, WorkflowType } from '../contract/workflow/inputs.ts';
import type { TaskPriority } from '../contract/workflow/priority.ts';

/** Retries after a lost worker only: errors that the activities throw themselves are non-retryable. */
const afterLostWorker = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;
/** For activities whose end a cancelled run awaits. */
const awaited = { retry: afterLostWorker, cancellationType: 'WAIT_CANCELLATION_COMPLETED' } as const;

const { prepare } = proxyActivities<Pick<LightActivities, 'prepare'>>({
  // The activity parses JSON and signs a few URLs; if it takes longer, the worker is gone or frozen.
  startToCloseTimeout: '5s',
  ...awaited,
});

/** An undefined argument would still be a payload in the history. */
export function prepareInput<Type extends WorkflowType>(
  type: Type,
  input: unknown,
  requester: Requester | undefined,
): Promise<WorkflowInputs[Type]> {
  return requester === undefined ? prepare(type, input) : prepare(type, input, requester);
}

export function webhookActivities() {
  return proxyActivities<WebhookActivities>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    // The activity times out by itself after 15 s.
    startToCloseTimeout: '30s',
    // A worker that dies during a delivery does not count as a failed try of the receiver.
    retry: { ...afterLostWorker, maximumAttempts: 5 },
  });
}

/** A local activity: the worker usually answers from memory. */
export const { registeredSearchAttributes } = proxyLocalActivities<Pick<LightActivities, 'registeredSearchAttributes'>>(
  {
    startToCloseTimeout: '5s',
    // If this fails, the run continues without search attributes.
    retry: { maximumAttempts: 1 },
  },
);

/**
 * The worker heartbeats every second, whatever the job does, so that another machine takes over quickly. The timeout
 * tolerates a process that waits for CPU time on a loaded machine; if it still expires, the job is followed again.
 */
const followerHeartbeatTimeout = '4s';

/** A false alarm costs more for submissions and inspections, because their next worker first asks the container. */
const submitterHeartbeatTimeout = '6s';

/** Activities for a job at its place: on the workers of its machine if it has one, else on any worker. */
function followingActivities({ machine }: ContainerPlace, options: ActivityOptions) {
  return proxyActivities<FollowerActivities>({
    ...options,
    ...(machine !== undefined && {
      taskQueue: machineTaskQueue(workflowInfo().taskQueue, machine),
      // Longer than a worker takes to restart. A machine that stays away is gone, and its container with it.
      scheduleToStartTimeout: '5m',
    }),
  });
}

export function followJob(summary: string, job: JobToFollow, context: AttemptContext): Promise<JobResult> {
  const activities = followingActivities(job.location, {
    // The container itself ends jobs that stall or exceed their time limit.
    startToCloseTimeout: '30d',
    heartbeatTimeout: followerHeartbeatTimeout,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
  return activities.followJob.executeWithOptions({ summary }, [job, context]);
}

/** Cancels a job that was replaced while its container was unreachable. One try: the container is usually gone. */
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
    // A container that is gone took its job with it, so the run does not wait longer.
    scheduleToCloseTimeout: '30s',
    retry: { initialInterval: '1s', backoffCoefficient: 1 },
  }).cancelJob(location);
}

/** Asks the Temporal server how many containers are present. */
export const { spreadSettings } = proxyActivities<Pick<LightActivities, 'spreadSettings'>>({
  startToCloseTimeout: '10s',
  ...awaited,
});

export const { removeSegments } = proxyActivities<Pick<LightActivities, 'removeSegments'>>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '1m',
  // Files that stay are removed by a lifecycle rule of the store.
  scheduleToCloseTimeout: '15m',
  ...awaited,
});

const { providerPolicies } = proxyActivities<Pick<LightActivities, 'providerPolicies'>>({
  // The activity only reads the worker's settings.
  startToCloseTimeout: '5s',
  ...awaited,
});

export async function readPolicies(
  keys: readonly string[],
  requester: Requester | undefined,
  needs?: ProviderNeeds,
): Promise<ProviderPolicy[]> {
  const policies = await providerPolicies(keys, requester, needs);
  return policies.map((policy) => ({ ...policy, readAtMs: Date.now() }));
}

export const { assembleTranscript, findEarlierChunks } = proxyActivities<
  Pick<LightActivities, 'assembleTranscript' | 'findEarlierChunks'>
>({
  // The activity may read thousands of files from the store.
  startToCloseTimeout: '30m',
  // Longest time to read one answer or write one transcript.
  heartbeatTimeout: '2m',
  // A store that is unreachable for an hour needs an operator.
  scheduleToCloseTimeout: '1h',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

/** Time to read the chunk and to store the answer, in addition to the provider's time limit. */
const storageSeconds = 60;

/** Calls to a provider. The call is not made if no worker slot is free within `startWithinMs`. */
export function providerActivities(
  { key, timeoutSeconds }: ProviderPolicy,
  startWithinMs: number | undefined,
  priority: TaskPriority | undefined,
) {
  return proxyActivities<ProviderActivities>({
    taskQueue: providerTaskQueue(workflowInfo().taskQueue, key),
    ...(startWithinMs !== undefined && { scheduleToStartTimeout: startWithinMs }),
    ...(priority !== undefined && { priority }),
    // The activity enforces the provider's time limit; this timeout is for a worker that cannot.
    startToCloseTimeout: (timeoutSeconds + storageSeconds) * 1000,
    // Detects a lost worker, whose chunk then returns to the queue. A false alarm costs a second call.
    heartbeatTimeout: callEndSeconds * 1000,
    // Each call needs its own permit, so Temporal must not retry it.
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
}

/** Activities that submit a job to a container. No timeout runs while they queue for one. */
export function containerActivities(priority: TaskPriority | undefined) {
  return proxyActivities<ContainerActivities>({
    taskQueue: containerTaskQueue(workflowInfo().taskQueue),
    ...(priority !== undefined && { priority }),
    // Inspecting the source is a job, which the container ends if it stalls or takes too long. Other requests take seconds.
    startToCloseTimeout: '30d',
    heartbeatTimeout: submitterHeartbeatTimeout,
    ...awaited,
  });
}

export function inspectActivities() {
  return proxyActivities<InspectActivities>({
    taskQueue: inspectTaskQueue(workflowInfo().taskQueue),
    // Callers wait for the answer, and the container allows no more time either.
    scheduleToCloseTimeout: '15m',
    heartbeatTimeout: submitterHeartbeatTimeout,
    ...awaited,
  });
}

/** Sends a message to a limiter that may not be running: workflow code can signal a workflow but not start it. */
export const { sendToLimiter } = proxyActivities<Pick<LightActivities, 'sendToLimiter'>>({
  startToCloseTimeout: '8s',
  retry: afterLostWorker,
});
