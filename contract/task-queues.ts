export const defaultTaskQueue = 'holdfast';

/**
 * The activities that use a container have a queue of their own, served by workers of one slot each: a backlog waits at the
 * Temporal server and not at a busy container.
 */
export function containerTaskQueue(taskQueue: string): string {
  return `${taskQueue}-container`;
}

/**
 * Every worker of an environment serves its limiters, whatever its own task queue: a limiter outlives the runs and the workers that
 * started it.
 */
export function limiterTaskQueue(environment: string): string {
  return `${defaultTaskQueue}-limiter-${environment}`;
}

/**
 * Calls to a provider use no container and may take a minute. Each key has a queue of its own, and slots of its own on each
 * worker, so that a key whose calls hang delays no other key.
 */
export function providerTaskQueue(taskQueue: string, key: string): string {
  return `${taskQueue}-provider-${key}`;
}

/** Tries of webhooks: they ask for the receivers' secrets and for a way out of the network, which not every worker has. */
export function webhookTaskQueue(taskQueue: string): string {
  return `${taskQueue}-webhooks`;
}

/** Looks at sources alone: they need no container to themselves, and wait behind no job. */
export function inspectTaskQueue(taskQueue: string): string {
  return `${taskQueue}-inspect`;
}

/** Has no task ever: its pollers are the workers that reach a container where a job can work. */
export function containerPresenceQueue(taskQueue: string): string {
  return `${taskQueue}-container-presence`;
}

/** The jobs of containers whose addresses are good on one machine alone are followed and ended there. */
export function machineTaskQueue(taskQueue: string, machine: string): string {
  return `${taskQueue}-machine-${machine}`;
}
