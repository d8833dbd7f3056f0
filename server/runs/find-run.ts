import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { readRunRecord, type RunRecord } from '../../client/run-record.ts';
import { WorkflowName } from '../../contract/server/run.ts';
import type { Caller } from '../access/caller.ts';
import { runNotFound } from '../problem-error.ts';

export interface FoundRun {
  record: RunRecord;
  description: WorkflowExecutionDescription;
}

/** Temporal's limit for workflow ids. */
const mostIdCharacters = 1000;

/**
 * Finds a run of this task queue that the caller may see. Throws `not_found` for every other id. Without a run id it is
 * the latest run of the id.
 */
export async function findRun(
  client: Client,
  taskQueue: string,
  id: string,
  caller: Pick<Caller, 'owner'>,
  runId?: string,
): Promise<FoundRun> {
  if (id === '' || id.length > mostIdCharacters || !id.isWellFormed()) throw runNotFound(id);
  const description = await client.workflow
    .getHandle(id, runId)
    .describe()
    .catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError ? runNotFound(id) : error;
    });
  const info = description.raw.workflowExecutionInfo;
  const record = readRunRecord(info ?? {});
  // The owner's search attribute is missing until a worker has started the run, or if it is not registered.
  const owner = record.owner ?? ownerInMemo(description);
  const isOurs = WorkflowName.safeParse(record.workflowType).success && record.taskQueue === taskQueue;
  if (!isOurs || (caller.owner !== undefined && caller.owner !== owner)) throw runNotFound(id);
  return { record: owner === undefined ? record : { ...record, owner }, description };
}

function ownerInMemo({ memo }: WorkflowExecutionDescription): string | undefined {
  const owner = memo?.['owner'];
  return typeof owner === 'string' ? owner : undefined;
}
