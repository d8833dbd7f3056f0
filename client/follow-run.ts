import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowStatus } from '../contract/workflow/status.ts';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { WorkflowType } from '../contract/workflow/inputs.ts';
import { readLiveStatus } from './live-status.ts';
import { withOwnSignal } from './own-signal.ts';
import { parseOutcome, type WorkflowOutcomes } from './workflow-schemas.ts';

/** Short, because the first answer shows that the run has started. */
const firstPauseMs = 150;
const defaultPauseMs = 500;

export interface FollowOptions {
  onStatus(status: WorkflowStatus): void;
  /** Stops following; the run continues. */
  signal: AbortSignal;
  pauseMs?: number;
}

/**
 * Reports the run's status until the run ends. Resolves to its result or rejects with Temporal's WorkflowFailedError.
 * No request is in progress when it settles: if a closed connection interrupted one, the SDK would retry on a timer
 * whose exception cannot be caught.
 */
export async function followRun<Type extends WorkflowType>(
  client: Client,
  handle: WorkflowHandle,
  workflowType: Type,
  { onStatus, signal, pauseMs = defaultPauseMs }: FollowOptions,
): Promise<WorkflowOutcomes[Type]> {
  const ended = new AbortController();
  const over = AbortSignal.any([ended.signal, signal]);
  const result = withOwnSignal(signal, (own) => client.withAbortSignal(own, () => handle.result())).finally(() =>
    ended.abort(),
  );
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  for (let waitMs = firstPauseMs; !over.aborted; waitMs = pauseMs) {
    await Promise.race([settled, delay(waitMs, undefined, { ref: false })]);
    if (over.aborted) break;
    const status = await readLiveStatus(client, handle, workflowType, over);
    if (status !== undefined && !over.aborted) onStatus(status);
  }
  return parseOutcome(workflowType, await result);
}
