import { Context } from '@temporalio/activity';
import type { Attempt } from './attempt.ts';
import type { ContainerClients } from './client.ts';
import { endJob } from './end-job.ts';
import { workerShutdownFailure } from './failures.ts';

/** Ends the job, or leaves it to the next worker, by the reason for which Temporal aborted the attempt. What it returns is to be thrown. */
export async function handleAbort(attempt: Attempt, clients: ContainerClients): Promise<unknown> {
  const reason: unknown = attempt.signal.reason;
  const reasonName = reason instanceof Error ? reason.message : '';
  // The job belongs to the workflow: the next worker joins it.
  if (reasonName === 'WORKER_SHUTDOWN') return workerShutdownFailure();
  // After an operator's pause or reset, or a heartbeat that came too late, the activity is started again and joins the job.
  if (reasonName !== 'CANCELLED' && (await isWorkflowOpen())) return reason;
  const { location: own, probing } = attempt.state;
  for (const location of [own, probing]) {
    if (location === undefined) continue;
    await endJob(clients, location).catch((error: unknown) => {
      Context.current().log.warn('The cancelled job could not be ended at its container', { location, error });
    });
  }
  // Of some the container may not have heard yet.
  await attempt.abandonUploads?.();
  return reason;
}

/** False where the run was terminated: no activity will join its job again. */
async function isWorkflowOpen(): Promise<boolean> {
  const { info, client, log } = Context.current();
  if (info.workflowExecution === undefined) return false;
  // Without the run's id: after a reset another run of this workflow joins the job.
  const handle = client.workflow.getHandle(info.workflowExecution.workflowId);
  try {
    // With a signal of its own: the activity's, which is aborted, would end this call at once.
    const { status } = await client.withAbortSignal(AbortSignal.timeout(5_000), () => handle.describe());
    return status.name === 'RUNNING' || status.name === 'PAUSED';
  } catch (error) {
    log.debug('The workflow could not be asked whether it goes on', { error });
    return true;
  }
}
