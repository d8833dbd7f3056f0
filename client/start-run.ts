import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { WorkflowInputs, WorkflowType } from '../contract/workflow/inputs.ts';
import { priorityOf } from '../contract/workflow/priority.ts';

export interface RunRequest<Type extends WorkflowType> {
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
  { workflowType, workflowId, taskQueue, input, summary, details }: RunRequest<Type>,
): Promise<RunHandle> {
  const priority = priorityOf(input);
  return await client.workflow.start(workflowType, {
    taskQueue,
    workflowId,
    args: [input],
    staticSummary: summary,
    staticDetails: details,
    ...(priority !== undefined && { priority }),
  });
}
