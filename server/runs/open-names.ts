import type { Client } from '@temporalio/client';
import { ClientError } from '../../client/client-error.ts';
import { readInput } from '../../client/rerun.ts';
import type { RunRecord } from '../../client/run-record.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { listAllRuns } from './list-all-runs.ts';

const names = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\/)[\w-]{22}(?=-)/g;

/** Texts in the inputs of all open runs that may be folders of their results, or the random parts of uploads. */
export async function readOpenNames(client: Client, taskQueue: string): Promise<Set<string>> {
  const filter = { taskQueue, state: 'active' } as const;
  const read = new Set<string>();
  const found = new Set<string>();
  // A run that continues as new while the pages are read may be on none of them.
  for (let lists = 0; lists < 2; lists += 1) {
    for (const run of await withRequestDeadline(client, () => listAllRuns(client, filter, Infinity))) {
      if (read.has(run.runId)) continue;
      read.add(run.runId);
      const input = await withRequestDeadline(client, () => readReadable(client, run));
      for (const [name] of JSON.stringify(input ?? null).matchAll(names)) found.add(name);
    }
  }
  return found;
}

/** Undefined for a run that was started elsewhere, with a key that this server lacks. */
async function readReadable(client: Client, { workflowId, runId, isOfServer }: RunRecord): Promise<unknown> {
  try {
    return await readInput(client, workflowId, runId);
  } catch (error) {
    if (isOfServer === true || !(error instanceof ClientError) || error.problem.kind !== 'encrypted') throw error;
    return undefined;
  }
}
