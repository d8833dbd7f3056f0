import { Context } from '@temporalio/activity';
import type { Attempt } from './attempt.ts';
import type { ContainerClients } from './client.ts';
import { endJob } from './end-job.ts';
import { workerShutdownFailure } from './failures.ts';

/** Cancels the job or leaves it to the next worker, depending on why Temporal aborted. The caller throws the result. */
export async function handleAbort(attempt: Attempt, clients: ContainerClients): Promise<unknown> {
  const reason: unknown = attempt.signal.reason;
  const reasonName = reason instanceof Error ? reason.message : '';
  // The job belongs to the workflow, so the next worker re-attaches to it.
  if (reasonName === 'WORKER_SHUTDOWN') return workerShutdownFailure();
  // After a pause, a reset or a late heartbeat, Temporal starts the activity again and it re-attaches to the job.
  if (reasonName !== 'CANCELLED' && (await isWorkflowOpen())) return reason;
  const { location: own, probing } = attempt.state;
  for (const location of [own, probing]) {
    if (location === undefined) continue;
    await endJob(clients, location).catch((error: unknown) => {
      Context.current().log.warn('Could not cancel the job at its container', { location, error });
    });
  }
  // The container may not know all of the uploads.
  await attempt.abandonUploads?.();
  return reason;
}

/** False if the run was terminated, because no activity will re-attach to its job. */
async function isWorkflowOpen(): Promise<boolean> {
  const { info, client, log } = Context.current();
  if (info.workflowExecution === undefined) return false;
  // The run id is left out, because after a reset another run of this workflow joins the job.
  const handle = client.workflow.getHandle(info.workflowExecution.workflowId);
  try {
    // A separate signal, because the activity's signal is already aborted.
    const { status } = await client.withAbortSignal(AbortSignal.timeout(5_000), () => handle.describe());
    return status.name === 'RUNNING' || status.name === 'PAUSED';
  } catch (error) {
    log.debug('Could not ask the server whether the workflow is open', { error });
    return true;
  }
}
