import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { InspectInput } from '../contract/workflow/inspect.ts';

/** Starts the workflow that inspects a source; its result is a MetadataResult. */
export async function startInspection(
  client: Client,
  { taskQueue, input, memo, limitMs }: { taskQueue: string; input: InspectInput; memo: object; limitMs: number },
): Promise<WorkflowHandle> {
  return await client.workflow.start('inspectSource', {
    workflowId: `inspect-${randomUUID()}`,
    taskQueue,
    args: [input],
    memo: { ...memo },
    workflowExecutionTimeout: limitMs,
  });
}
