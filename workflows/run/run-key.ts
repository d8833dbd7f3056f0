import { workflowInfo } from '@temporalio/workflow';

/** What a run hands to the next one of its chain where its history grew too long. */
export interface Resumed<State> {
  key: string;
  state: State;
}

/**
 * Names the run to containers and limiters, which join what has the same name. It is the same after an operator's reset and for
 * each try of a workflow's retry policy. Each run of a cron has its own, although all of them have the first one's id in common.
 */
export function newRunKey(): string {
  const { cronSchedule, firstExecutionRunId, originalExecutionRunId } = workflowInfo();
  return cronSchedule === undefined ? firstExecutionRunId : originalExecutionRunId;
}
