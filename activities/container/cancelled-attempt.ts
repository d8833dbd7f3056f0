import { Context } from '@temporalio/activity';
import type { Attempt } from './attempt.ts';
import type { ContainerClients } from './client.ts';
import { endJob } from './end-job.ts';
import { leftToNextWorker } from './failures.ts';

/** Why Temporal aborted the attempt, and with it what becomes of the job. */
export async function endOfAborted(attempt: Attempt, clients: ContainerClients): Promise<unknown> {
  const reason: unknown = attempt.signal.reason;
  const word = reason instanceof Error ? reason.message : '';
  // The job is the workflow's, not ours: it goes on for whoever follows it next.
  if (word === 'WORKER_SHUTDOWN') return leftToNextWorker();
  // An operator's pause or reset, or a heartbeat that came too late: the activity is started again and joins the job.
  if (word !== 'CANCELLED' && (await workflowGoesOn())) return reason;
  const { location } = attempt.carry;
  if (location?.jobId !== undefined) {
    await endJob(clients(location.containerUrl), location.jobId).catch((error: unknown) => {
      Context.current().log.warn('The cancelled job could not be ended at its container', { location, error });
    });
  }
  return reason;
}

/** False where the run was terminated: nobody will come back for its job. */
async function workflowGoesOn(): Promise<boolean> {
  const { info, client, log } = Context.current();
  if (info.workflowExecution === undefined) return false;
  // Without the run's id: after a reset it is another run that comes back. Its calls would else be aborted like ourselves.
  const handle = client.workflow.getHandle(info.workflowExecution.workflowId);
  try {
    const { status } = await client.withAbortSignal(AbortSignal.timeout(5_000), () => handle.describe());
    return status.name === 'RUNNING' || status.name === 'PAUSED';
  } catch (error) {
    log.debug('The workflow could not be asked whether it goes on', { error });
    return true;
  }
}
