import type { Client } from '@temporalio/client';

/** `TASK_QUEUE_TYPE_ACTIVITY` of temporal.api.enums.v1, which the SDK does not export. */
const activityTasks = 2;

export async function describeQueue(client: Client, name: string) {
  return await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
    taskQueueType: activityTasks,
    reportStats: true,
  });
}
