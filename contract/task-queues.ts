/** Values of temporal.api.enums.v1.TaskQueueType, which the SDK does not export. */
export const workflowTasks = 1;
export const activityTasks = 2;

interface QueueRequest {
  namespace: string;
  taskQueue: { name: string };
  taskQueueType: number;
  reportStats?: true;
}

/** Describes a task queue for activities, which includes its pollers. */
export async function describeTaskQueue<Description>(
  service: { describeTaskQueue(request: QueueRequest): Promise<Description> },
  namespace: string,
  name: string,
  more: Pick<Partial<QueueRequest>, 'taskQueueType' | 'reportStats'> = {},
): Promise<Description> {
  return await service.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType: activityTasks, ...more });
}

export const defaultTaskQueue = 'holdfast';

/**
 * Queue of the activities that use a container. Its workers have one slot each, so the backlog waits at the Temporal
 * server and not at a busy container.
 */
export function containerTaskQueue(taskQueue: string): string {
  return `${taskQueue}-container`;
}

/**
 * Queue of an environment's limiters. Every worker of the environment serves it: a limiter outlives the runs and
 * workers that started it.
 */
export function limiterTaskQueue(environment: string): string {
  return `${defaultTaskQueue}-limiter-${environment}`;
}

/**
 * Queue of the calls to one provider key. They need no container and may take a minute; separate slots keep a key whose
 * calls hang from delaying other keys.
 */
export function providerTaskQueue(taskQueue: string, key: string): string {
  return `${taskQueue}-provider-${key}`;
}

/**
 * Queue of webhook deliveries, which need the receivers' secrets and outbound network access that not every worker has.
 */
export function webhookTaskQueue(taskQueue: string): string {
  return `${taskQueue}-webhooks`;
}

/** Queue of source inspections, which need no exclusive container and never wait behind jobs. */
export function inspectTaskQueue(taskQueue: string): string {
  return `${taskQueue}-inspect`;
}

/** Queue that never has tasks; its pollers are the workers that reach a container able to work. */
export function containerPresenceQueue(taskQueue: string): string {
  return `${taskQueue}-container-presence`;
}

/** Queue of one machine, on which jobs of containers with loopback addresses are followed and ended. */
export function machineTaskQueue(taskQueue: string, machine: string): string {
  return `${taskQueue}-machine-${machine}`;
}
