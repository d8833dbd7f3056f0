import { type Client, WorkflowFailedError } from '@temporalio/client';
import pMap from 'p-map';
import { definedFields } from '../contract/defined-fields.ts';
import type { RunState } from '../contract/server/run-state.ts';
import type { WorkflowStatus } from '../contract/workflow/status.ts';
import { describeEncrypted } from './encrypted.ts';
import { describeFailure } from './failure.ts';
import { readLiveStatus } from './live-status.ts';
import { withOwnSignal } from './own-signal.ts';
import type { RunRecord } from './run-record.ts';
import { stateOfRun } from './run-state.ts';
import { listRunsPage, type RunsPageOptions } from './runs-page.ts';
import { readShortfall } from './shortfall.ts';

/** A run, with its own status if it is open and a worker answers. */
export interface ListedRun {
  record: RunRecord;
  state: RunState;
  status?: WorkflowStatus;
  /** Why the run failed. */
  failure?: string;
}

const pageSize = 1000;
const queriesAtOnce = 8;

/** Lists runs of a task queue in the order of `listRunsPage`: open ones with their status, failed ones with the reason. */
export async function listRunsOf(
  client: Client,
  { limit, signal, ...filters }: Omit<RunsPageOptions, 'cursor'> & { signal: AbortSignal },
): Promise<ListedRun[]> {
  const records: RunRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await listRunsPage(client, { ...filters, cursor, limit: Math.min(limit - records.length, pageSize) });
    records.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== undefined && records.length < limit);
  return await pMap(
    records,
    async (record) => ({ ...(await askRun(client, record, signal)), ...(await readReason(client, record, signal)) }),
    { concurrency: queriesAtOnce },
  );
}

export async function askRun(client: Client, record: RunRecord, signal: AbortSignal): Promise<ListedRun> {
  const { workflowId, runId, workflowType, ending } = record;
  const status =
    ending === undefined
      ? await readLiveStatus(client, client.workflow.getHandle(workflowId, runId), workflowType, signal)
      : undefined;
  return { record, state: stateOfRun(record, status), ...(status !== undefined && { status }) };
}

async function readReason(client: Client, record: RunRecord, signal: AbortSignal): Promise<{ failure?: string }> {
  const { workflowId, runId, ending } = record;
  if (ending === undefined || stateOfRun(record, undefined) !== 'failed') return {};
  // The result of a run that has followed this one may be days away.
  const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
  try {
    const outcome: unknown = await withOwnSignal(signal, (own) => client.withAbortSignal(own, () => handle.result()));
    return definedFields({ failure: readShortfall(outcome)?.message });
  } catch (error) {
    // A lost connection, or a deleted history, is not why the run failed.
    const isReason = error instanceof WorkflowFailedError || describeEncrypted(error) !== undefined;
    return isReason ? { failure: describeFailure(error) } : {};
  }
}
