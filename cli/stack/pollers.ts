import type { Connection } from '@temporalio/client';
import { hostname } from 'node:os';
import { isAlive } from '../../client/process-alive.ts';
import { activityTasks, describeTaskQueue, workflowTasks } from '../../contract/task-queues.ts';

/** A poll lasts at most 1 min. The server lists a poller for 5 min, even after its worker is gone. */
const freshMs = 75_000;

/**
 * True if workers, or the worker process `ofPid`, poll Holdfast's queue. The containers' queue is no sign: nobody polls it while all
 * containers are busy.
 */
export async function hasWorkers(
  connection: Connection,
  namespace: string,
  taskQueue: string,
  ofPid?: number,
): Promise<boolean> {
  const served = await Promise.all([
    hasPoller(connection, namespace, taskQueue, workflowTasks, ofPid),
    hasPoller(connection, namespace, taskQueue, activityTasks, ofPid),
  ]);
  return served.every(Boolean);
}

async function hasPoller(
  connection: Connection,
  namespace: string,
  name: string,
  taskQueueType: number,
  ofPid: number | undefined,
): Promise<boolean> {
  const { pollers } = await describeTaskQueue(connection.workflowService, namespace, name, { taskQueueType });
  return (pollers ?? []).some(({ identity, lastAccessTime }) => {
    const pid = pidOnThisHost(identity ?? '');
    if (ofPid !== undefined) return pid === ofPid;
    if (pid !== undefined) return isAlive(pid);
    return Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < freshMs;
  });
}

/** The SDK's default identity is `<pid>@<host>`. */
function pidOnThisHost(identity: string): number | undefined {
  const [, pid, host = ''] = /^(\d+)@(.+)$/.exec(identity) ?? [];
  return host.startsWith(hostname()) ? Number(pid) : undefined;
}
