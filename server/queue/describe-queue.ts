import type { Client } from '@temporalio/client';
import { describeTaskQueue } from '../../contract/task-queues.ts';

export async function describeQueue(client: Client, name: string) {
  return await describeTaskQueue(client.workflowService, client.options.namespace, name, { reportStats: true });
}
