import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { RunOfJob } from '../contract/activity.ts';

const answerTimeoutMs = 5_000;

/**
 * Whether jobs of this run are still wanted. `graceMs`: a run counts as open for this time after its end. Rejects if
 * Temporal does not answer.
 */
export async function isRunOpen(client: Client, { workflowId, runId }: RunOfJob, graceMs = 0): Promise<boolean> {
  const describe = (id?: string) => describeRun(client, workflowId, id);
  try {
    const latest = await describe();
    const isOpen = latest.status.name === 'RUNNING' || latest.status.name === 'PAUSED';
    const endedMs = latest.closeTime?.getTime() ?? 0;
    // This worker's clock may be minutes behind Temporal's, so it decides nothing where no grace is asked for.
    if (!isOpen && (graceMs === 0 || Date.now() >= endedMs + graceMs)) return false;
    if (latest.runId === runId) return true;
    // After a reset, another run of this workflow joins the job. A new workflow with the same id does not.
    return firstRunOf(latest) === firstRunOf(await describe(runId));
  } catch (error) {
    // The server has removed the history.
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Whether an activity of an open run is paused. Rejects if Temporal does not answer. */
export async function isActivityPaused(client: Client, { workflowId, runId }: RunOfJob, id: string): Promise<boolean> {
  try {
    const { raw } = await describeRun(client, workflowId, runId);
    return raw.pendingActivities?.some(({ activityId, paused }) => activityId === id && paused === true) ?? false;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

function describeRun(client: Client, workflowId: string, runId?: string): Promise<WorkflowExecutionDescription> {
  return client.withAbortSignal(AbortSignal.timeout(answerTimeoutMs), () =>
    client.workflow.getHandle(workflowId, runId).describe(),
  );
}

function firstRunOf({ raw }: WorkflowExecutionDescription): string | undefined {
  return raw.workflowExecutionInfo?.firstRunId ?? undefined;
}
