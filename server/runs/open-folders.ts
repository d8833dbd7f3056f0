import type { Client } from '@temporalio/client';
import { readInput } from '../../client/rerun.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { listAllRuns } from './list-all-runs.ts';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** UUIDs in the inputs of all open runs; the folders of their results are among them. */
export async function readOpenFolders(client: Client, taskQueue: string): Promise<Set<string>> {
  const filter = { taskQueue, state: 'active' } as const;
  const runs = await withRequestDeadline(client, () => listAllRuns(client, filter, Infinity));
  const names = new Set<string>();
  for (const { workflowId, runId } of runs) {
    const input = await withRequestDeadline(client, () => readInput(client, workflowId, runId));
    for (const [name] of JSON.stringify(input ?? null).matchAll(uuid)) names.add(name);
  }
  return names;
}
