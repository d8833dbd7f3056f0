import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { RunOfJob } from '../contract/activity.ts';

const answerTimeoutMs = 5_000;

/**
 * Whether jobs of this run are still wanted. `graceMs`: a run counts as open for this time after its end. Rejects if
 * Temporal does not answer.
 */
export async function isRunOpen(client: Client, { workflowId, runId }: RunOfJob, graceMs = 0): Promise<boolean> {
  const describe = (id?: string) =>
    client.withAbortSignal(AbortSignal.timeout(answerTimeoutMs), () =>
      client.workflow.getHandle(workflowId, id).describe(),
    );
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

function firstRunOf({ raw }: WorkflowExecutionDescription): string | undefined {
  return raw.workflowExecutionInfo?.firstRunId ?? undefined;
}
