import type { Client } from '@temporalio/client';

/** Of temporal.api.enums.v1.TaskQueueType, whose package the SDK does not pass on. */
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
