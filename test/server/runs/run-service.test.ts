import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { RunService, type RunServiceOptions } from '../../../server/runs/run-service.ts';

test('answers run_ended to the priority of a run that ends between the look-up and the signal', async () => {
  const [workflowId, runId] = ['encode-a', 'first'];
  const workflowExecutionInfo = {
    execution: { workflowId, runId },
    type: { name: 'encode' },
    taskQueue: 'q',
    status: 1,
  };
  const client = {
    options: { namespace: 'default' },
    withDeadline: (_: number, ask: () => unknown) => ask(),
    workflowService: { describeWorkflowExecution: async () => ({ pendingActivities: [] }) },
    workflow: {
      getHandle: () => ({
        describe: async () => ({ raw: { workflowExecutionInfo } }),
        signal: async () => {
          throw new WorkflowNotFoundError('workflow execution already completed', workflowId, runId);
        },
      }),
    },
  } as unknown as Client;
  const service = new RunService({ client, taskQueue: 'q' } as unknown as RunServiceOptions);
  const caller = { id: 'all', owner: undefined, scopes: new Set(['run'] as const) };
  await expect(service.setPriority(workflowId, { priority: 1 }, caller)).rejects.toMatchObject({ code: 'run_ended' });
});
