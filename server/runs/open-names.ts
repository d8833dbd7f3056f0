import type { Client } from '@temporalio/client';
import { ClientError } from '../../client/client-error.ts';
import { readInput } from '../../client/rerun.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { listAllRuns } from './list-all-runs.ts';

const names = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\/)[\w-]{22}(?=-)/g;

/**
 * Texts in the inputs of all open runs that may be folders of their results, or the random parts of uploads. The input of
 * a run whose key this server lacks has none: the run was started elsewhere.
 */
export async function readOpenNames(client: Client, taskQueue: string): Promise<Set<string>> {
  const filter = { taskQueue, state: 'active' } as const;
  const runs = await withRequestDeadline(client, () => listAllRuns(client, filter, Infinity));
  const found = new Set<string>();
  for (const { workflowId, runId } of runs) {
    const read = async () => await readInput(client, workflowId, runId);
    const input = await withRequestDeadline(client, read).catch((error: unknown) => {
      if (!(error instanceof ClientError) || error.problem.kind !== 'encrypted') throw error;
    });
    for (const [name] of JSON.stringify(input ?? null).matchAll(names)) found.add(name);
  }
  return found;
}
