import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import pMap from 'p-map';
import type { WorkflowType } from '../contract/workflow/inputs.ts';
import type { WorkflowStatus } from '../contract/workflow/status.ts';
import { readLiveStatus } from './live-status.ts';
import { asSearchRefusal } from './search-refusal.ts';
import { quote, runConditions } from './visibility-query.ts';

export type ListedState = 'running' | 'completed' | 'failed' | 'cancelled';
/** `running` is every run under way; the first two are the runs among them that wait for a container, or for their next attempt. */
export type StateFilter = 'queued' | 'waiting' | ListedState;

/** One run of ours in Temporal. */
export interface ListedRun {
  workflowId: string;
  runId: string;
  workflowType: WorkflowType;
  state: ListedState;
  startedAt: Date;
  endedAt?: Date;
  /** Where the server has the search attribute. */
  owner?: string;
  /** Of a run that is under way, where a worker answers for it. */
  status?: WorkflowStatus;
}

export interface ListRunsOptions {
  taskQueue: string;
  state?: StateFilter;
  owner?: string;
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

const ownerKey = defineSearchAttributeKey('HoldfastOwner', 'KEYWORD');

/** The runs of a task queue, newest first, those under way with their status. */
export async function listRunsOf(client: Client, options: ListRunsOptions): Promise<ListedRun[]> {
  const { taskQueue, state, owner, limit, signal } = options;
  const query = [
    ...runConditions(taskQueue),
    ...(state === undefined ? [] : [stateCondition(state)]),
    ...(owner === undefined ? [] : [`HoldfastOwner = ${quote(owner)}`]),
  ].join(' AND ');
  const infos: WorkflowExecutionInfo[] = [];
  try {
    for await (const info of client.workflow.list({ query, pageSize: Math.min(limit, 1000) })) {
      infos.push(info);
      if (infos.length >= limit) break;
    }
  } catch (error) {
    throw asSearchRefusal(error, query);
  }
  return await pMap(infos, async (info) => await readRun(client, info, signal), { concurrency: queriesAtOnce });
}

async function readRun(client: Client, info: WorkflowExecutionInfo, signal: AbortSignal): Promise<ListedRun> {
  const { workflowId, runId, type, startTime, closeTime, typedSearchAttributes } = info;
  const workflowType = type as WorkflowType;
  const state = stateOf(info);
  const status =
    state === 'running'
      ? await readLiveStatus(client, client.workflow.getHandle(workflowId, runId), workflowType, signal)
      : undefined;
  const owner = typedSearchAttributes.get(ownerKey);
  return {
    ...{ workflowId, runId, workflowType, state, startedAt: startTime },
    ...(owner !== undefined && { owner }),
    ...(closeTime !== undefined && { endedAt: closeTime }),
    ...(status !== undefined && { status }),
  };
}

function stateOf({ status }: WorkflowExecutionInfo): ListedState {
  const ending = Object.entries(endings).find(([, { sdk }]) => sdk.includes(status.name));
  return (ending?.[0] as ListedState | undefined) ?? 'running';
}

function stateCondition(state: StateFilter): string {
  if (state === 'running') return `ExecutionStatus = 'Running'`;
  // A run that was terminated keeps the state in which it was.
  if (state === 'queued' || state === 'waiting') return `ExecutionStatus = 'Running' AND HoldfastState = '${state}'`;
  return `ExecutionStatus IN (${endings[state].visibility.map(quote).join(', ')})`;
}
