import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import pMap from 'p-map';
import { inputSchemas, type WorkflowType } from '../contract/workflow/inputs.ts';
import type { WorkflowStatus } from '../contract/workflow/status.ts';
import { readLiveStatus } from './live-status.ts';

export type ListedState = 'running' | 'completed' | 'failed' | 'cancelled';

/** One run of ours in Temporal. */
export interface ListedRun {
  workflowId: string;
  runId: string;
  workflowType: WorkflowType;
  state: ListedState;
  startedAt: Date;
  endedAt?: Date;
  /** Of a run that is under way, where a worker answers for it. */
  status?: WorkflowStatus;
}

export interface ListRunsOptions {
  taskQueue: string;
  state?: ListedState;
  limit: number;
  signal: AbortSignal;
}

/** Queries to workers at a time. */
const queriesAtOnce = 8;

/** The names by which Temporal's visibility and the SDK know the ways in which a run can end. */
const endings: Record<Exclude<ListedState, 'running'>, { visibility: readonly string[]; sdk: readonly string[] }> = {
  completed: { visibility: ['Completed'], sdk: ['COMPLETED'] },
  failed: { visibility: ['Failed', 'TimedOut', 'Terminated'], sdk: ['FAILED', 'TIMED_OUT', 'TERMINATED'] },
  cancelled: { visibility: ['Canceled'], sdk: ['CANCELLED'] },
};

/** The runs of a task queue, newest first, those under way with their status. */
export async function listRunsOf(client: Client, options: ListRunsOptions): Promise<ListedRun[]> {
  const { taskQueue, state, limit, signal } = options;
  const types = Object.keys(inputSchemas) as WorkflowType[];
  const query = [
    `WorkflowType IN (${types.map(quote).join(', ')})`,
    `TaskQueue = ${quote(taskQueue)}`,
    // A run that continued as new goes on in its successor.
    `ExecutionStatus != 'ContinuedAsNew'`,
    ...(state === undefined
      ? []
      : [
          `ExecutionStatus IN (${(state === 'running' ? ['Running'] : endings[state].visibility).map(quote).join(', ')})`,
        ]),
  ].join(' AND ');
  const infos: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query, pageSize: Math.min(limit, 1000) })) {
    infos.push(info);
    if (infos.length >= limit) break;
  }
  return await pMap(infos, async (info) => await readRun(client, info, signal), { concurrency: queriesAtOnce });
}

async function readRun(client: Client, info: WorkflowExecutionInfo, signal: AbortSignal): Promise<ListedRun> {
  const { workflowId, runId, type, startTime, closeTime } = info;
  const workflowType = type as WorkflowType;
  const state = stateOf(info);
  const status =
    state === 'running'
      ? await readLiveStatus(client, client.workflow.getHandle(workflowId, runId), workflowType, signal)
      : undefined;
  return {
    ...{ workflowId, runId, workflowType, state, startedAt: startTime },
    ...(closeTime !== undefined && { endedAt: closeTime }),
    ...(status !== undefined && { status }),
  };
}

function stateOf({ status }: WorkflowExecutionInfo): ListedState {
  const ending = Object.entries(endings).find(([, { sdk }]) => sdk.includes(status.name));
  return (ending?.[0] as ListedState | undefined) ?? 'running';
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
