import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { WorkflowInputs, WorkflowType } from '../contract/workflow/inputs.ts';
import { priorityOf } from '../contract/workflow/priority.ts';

export interface RunSettings {
  /** If a run with this id exists, returns it while it is open and fails once it has ended. */
  joins?: boolean;
  /** Ended runs that may have had this id; default: any. */
  reuse?: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY';
  memo?: Record<string, unknown>;
  searchAttributes?: SearchAttributePair[];
}

export interface RunRequest<Type extends WorkflowType> extends RunSettings {
  workflowType: Type;
  workflowId: string;
  taskQueue: string;
  input: WorkflowInputs[Type];
  /** One line of Markdown that the Web UI shows for the run. */
  summary: string;
  /** Markdown that the Web UI shows on the run's page. */
  details: string;
}

export type RunHandle = WorkflowHandleWithFirstExecutionRunId;

export async function startRun<Type extends WorkflowType>(
  client: Client,
  request: RunRequest<Type>,
): Promise<RunHandle> {
  const { workflowType, workflowId, taskQueue, input, summary, details, joins, reuse, memo, searchAttributes } =
    request;
  const priority = priorityOf(input);
  const { sourceName } = input;
  return await client.workflow.start(workflowType, {
    taskQueue,
    workflowId,
    args: [input],
    staticSummary: summary,
    staticDetails: details,
    ...(priority !== undefined && { priority }),
    ...(joins === true && {
      workflowIdConflictPolicy: 'USE_EXISTING' as const,
      workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    }),
    ...(reuse !== undefined && { workflowIdReusePolicy: reuse }),
    ...((memo ?? sourceName) !== undefined && { memo: { ...memo, ...(sourceName !== undefined && { sourceName }) } }),
    ...(searchAttributes !== undefined && { typedSearchAttributes: searchAttributes }),
  });
}
