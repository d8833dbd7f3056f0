/** What a worker may be asked to do (WORKER_ROLES): each role has task queues of its own. */
export const workerRoles = ['workflows', 'container', 'provider', 'webhooks'] as const;
export type WorkerRole = (typeof workerRoles)[number];
