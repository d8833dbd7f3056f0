import type { WorkflowStatus } from '../contract/workflow/status.ts';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { WorkflowType } from '../contract/workflow/inputs.ts';
import { readLiveStatus } from './live-status.ts';
import { parseOutcome, type WorkflowOutcomes } from './workflow-schemas.ts';

/** Short, since the first answer shows that the run has begun. */
const firstPauseMs = 150;
const defaultPauseMs = 500;

export interface FollowOptions {
  onStatus(status: WorkflowStatus): void;
  /** Ends the following, not the run. */
  signal: AbortSignal;
  /** Between two reports. */
  pauseMs?: number;
}

/**
 * Reports the run's status until the run has ended; resolves to its result, or rejects with Temporal's WorkflowFailedError.
 * Once it has settled none of its requests is left: the SDK retries one that the closing of the connection interrupts, by a
 * timer whose exception nobody could catch.
 */
export async function followRun<Type extends WorkflowType>(
  client: Client,
  handle: WorkflowHandle,
  workflowType: Type,
  { onStatus, signal, pauseMs = defaultPauseMs }: FollowOptions,
): Promise<WorkflowOutcomes[Type]> {
  const ended = new AbortController();
  const over = AbortSignal.any([ended.signal, signal]);
  const result = client.withAbortSignal(signal, () => handle.result()).finally(() => ended.abort());
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  for (let waitMs = firstPauseMs; !over.aborted; waitMs = pauseMs) {
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, waitMs).unref())]);
    if (over.aborted) break;
    const status = await readLiveStatus(client, handle, workflowType, over);
    if (status !== undefined && !over.aborted) onStatus(status);
  }
  return parseOutcome(workflowType, await result);
}
