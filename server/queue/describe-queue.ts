import type { Client } from '@temporalio/client';
import { activityTasks } from '../../contract/task-queues.ts';

export async function describeQueue(client: Client, name: string) {
  return await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
    taskQueueType: activityTasks,
    reportStats: true,
  });
}
