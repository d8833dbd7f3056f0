import type { Client, WorkflowHandle } from '@temporalio/client';
import type { WorkflowType } from '../contract/workflow/inputs.ts';
import type { WorkflowStatus } from '../contract/workflow/status.ts';
import { readLiveStatus } from './live-status.ts';
import { parseOutcome, type WorkflowOutcomes } from './workflow-schemas.ts';

/** Short, since the first answer shows that the run has begun. */
const firstPauseMs = 150;
const pauseMs = 500;

/** Reports the run's status until the run has ended; resolves to its result, or rejects with Temporal's WorkflowFailedError. */
export async function followRun<Type extends WorkflowType>(
  client: Client,
  handle: WorkflowHandle,
  workflowType: Type,
  onStatus: (status: WorkflowStatus) => void,
): Promise<WorkflowOutcomes[Type]> {
  const ended = new AbortController();
  const result = handle.result().finally(() => ended.abort());
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  for (let waitMs = firstPauseMs; !ended.signal.aborted; waitMs = pauseMs) {
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, waitMs).unref())]);
    const status = await Promise.race([settled, readLiveStatus(client, handle, workflowType)]);
    if (status !== undefined && !ended.signal.aborted) onStatus(status);
  }
  return parseOutcome(workflowType, await result);
}
