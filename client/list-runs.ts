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

/** By Temporal's visibility: its names for the ways in which a run can end badly. */
const statusesOf: Record<ListedState, readonly string[]> = {
  running: ['Running'],
  completed: ['Completed'],
  failed: ['Failed', 'TimedOut', 'Terminated'],
  cancelled: ['Canceled'],
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
    ...(state === undefined ? [] : [`ExecutionStatus IN (${statusesOf[state].map(quote).join(', ')})`]),
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
  switch (status.name) {
    case 'COMPLETED':
      return 'completed';
    case 'CANCELLED':
      return 'cancelled';
    case 'FAILED':
    case 'TIMED_OUT':
    case 'TERMINATED':
      return 'failed';
    default:
      return 'running';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
