import type { Client } from '@temporalio/client';
import { allOf, quote } from '../../client/visibility-query.ts';
import { withRequestDeadline } from '../request-deadline.ts';

const dayMs = 86_400_000;

/** A message of this age has had four tries. */
const lateMs = 3_600_000;

/** Messages that were given up in the last 24 hours. */
export async function countUndelivered(client: Client, taskQueue: string): Promise<number> {
  return await countMessages(client, taskQueue, [`ExecutionStatus = 'Failed'`, `CloseTime > ${ago(dayMs)}`]);
}

/** Messages that are not delivered an hour after their event. */
export async function countLate(client: Client, taskQueue: string): Promise<number> {
  return await countMessages(client, taskQueue, [`ExecutionStatus = 'Running'`, `StartTime < ${ago(lateMs)}`]);
}

function ago(ms: number): string {
  return quote(new Date(Date.now() - ms).toISOString());
}

async function countMessages(client: Client, taskQueue: string, conditions: readonly string[]): Promise<number> {
  const query = allOf([`WorkflowType = 'webhook'`, `TaskQueue = ${quote(taskQueue)}`, ...conditions]);
  return (await withRequestDeadline(client, () => client.workflow.count(query))).count;
}
