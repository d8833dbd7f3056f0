import type { Client } from '@temporalio/client';
import { allOf, quote } from '../../client/visibility-query.ts';
import { withRequestDeadline } from '../request-deadline.ts';

const dayMs = 86_400_000;

/** Messages that were given up in the last 24 hours. */
export async function countUndelivered(client: Client, taskQueue: string): Promise<number> {
  const query = allOf([
    `WorkflowType = 'webhook'`,
    `TaskQueue = ${quote(taskQueue)}`,
    `ExecutionStatus = 'Failed'`,
    `CloseTime > ${quote(new Date(Date.now() - dayMs).toISOString())}`,
  ]);
  return (await withRequestDeadline(client, () => client.workflow.count(query))).count;
}
