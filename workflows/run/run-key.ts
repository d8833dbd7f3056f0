import { workflowInfo } from '@temporalio/workflow';
import type { RunUsage } from '../../contract/usage.ts';

/** State that a run passes to the next one when it continues as new. */
export interface Resumed<State> {
  key: string;
  state: State;
  /** Missing if nothing was used yet, and in runs of older versions. */
  usage?: RunUsage;
  /** Waits of which the webhook knows, by step. Missing if there are none, and in runs of older versions. */
  reportedWaits?: [step: string, reason: string][];
}

/**
 * Identifies the run to containers and limiters, which re-attach to work with the same key. An operator's reset and the
 * tries of a workflow retry policy keep the key. The runs of a cron share `firstExecutionRunId`, but each has its own key.
 */
export function newRunKey(): string {
  const { cronSchedule, firstExecutionRunId, originalExecutionRunId } = workflowInfo();
  return cronSchedule === undefined ? firstExecutionRunId : originalExecutionRunId;
}
