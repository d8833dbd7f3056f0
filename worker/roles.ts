/** Roles of a worker (WORKER_ROLES); each role has its own task queues. */
export const workerRoles = ['workflows', 'container', 'provider', 'webhooks'] as const;
export type WorkerRole = (typeof workerRoles)[number];
