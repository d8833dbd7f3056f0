import type { Client } from '@temporalio/client';
import { readInput } from '../../client/rerun.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { listAllRuns } from './list-all-runs.ts';

const names = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\/)[\w-]{22}(?=-)/g;

/** Texts in the inputs of all open runs that may be folders of their results, or the random parts of uploads. */
export async function readOpenNames(client: Client, taskQueue: string): Promise<Set<string>> {
  const filter = { taskQueue, state: 'active' } as const;
  const runs = await withRequestDeadline(client, () => listAllRuns(client, filter, Infinity));
  const found = new Set<string>();
  for (const { workflowId, runId } of runs) {
    const input = await withRequestDeadline(client, () => readInput(client, workflowId, runId));
    for (const [name] of JSON.stringify(input ?? null).matchAll(names)) found.add(name);
  }
  return found;
}
