import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { isActivityPaused, isRunOpen } from '../open-run.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClients } from './client.ts';
import { endJob } from './end-job.ts';
import { workerShutdownFailure } from './failures.ts';

const pausedRunPollMs = 3_000;

/** Cancels the job or leaves it to the next worker, depending on why Temporal aborted. The caller throws the result. */
export async function handleAbort(attempt: Attempt, clients: ContainerClients): Promise<unknown> {
  const reason: unknown = attempt.signal.reason;
  const reasonName = nameOf(reason);
  // The job belongs to the workflow, so the next worker re-attaches to it.
  if (reasonName === 'WORKER_SHUTDOWN') return workerShutdownFailure();
  // After a pause, a reset or a late heartbeat, Temporal starts the activity again and it re-attaches to the job.
  if (reasonName !== 'CANCELLED' && (await isWorkflowOpen())) {
    if (reasonName === 'PAUSED') {
      const { log } = Context.current();
      watchPausedRun(attempt, clients).catch((error: unknown) =>
        log.warn('Could not clean up a paused job', { error }),
      );
    }
    return reason;
  }
  await endJobs(attempt, clients);
  return reason;
}

/** Ends the job of an activity that succeeded after its run was terminated: the server discards the result. */
export async function endUnwantedJobs(attempt: Attempt, clients: ContainerClients): Promise<void> {
  // A run that is cancelled, or whose worker shuts down, still gets the result.
  const isDiscarded =
    attempt.signal.aborted && !['CANCELLED', 'WORKER_SHUTDOWN'].includes(nameOf(attempt.signal.reason));
  if (isDiscarded && !(await isWorkflowOpen())) await endJobs(attempt, clients);
}

/** Ends the job of an activity that the server no longer knows because its run has ended: no other worker has it. */
export async function endJobsOfEndedRun(attempt: Attempt, clients: ContainerClients): Promise<void> {
  if (!(await isWorkflowOpen())) await endJobs(attempt, clients);
}

/** Nobody follows the job of a paused activity, so this worker ends the job if the run ends meanwhile. */
async function watchPausedRun(attempt: Attempt, clients: ContainerClients): Promise<void> {
  do await pause(pausedRunPollMs, undefined, { ref: false });
  while (await isPaused());
  await endJobsOfEndedRun(attempt, clients);
}

function nameOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : '';
}

async function endJobs(attempt: Attempt, clients: ContainerClients): Promise<void> {
  const { location: own, probing } = attempt.state;
  for (const location of [own, probing]) {
    if (location === undefined) continue;
    await endJob(clients, location).catch((error: unknown) => {
      Context.current().log.warn('Could not cancel the job at its container', { location, error });
    });
  }
  // The container may not know all of the uploads.
  await attempt.abandonUploads?.();
}

/** False if the run was terminated, because no activity will re-attach to its job. */
async function isWorkflowOpen(): Promise<boolean> {
  const { info, client, log } = Context.current();
  if (info.workflowExecution === undefined) return false;
  try {
    return await isRunOpen(client, info.workflowExecution);
  } catch (error) {
    log.debug('Could not ask the server whether the workflow is open', { error });
    return true;
  }
}

async function isPaused(): Promise<boolean> {
  const { info, client, log } = Context.current();
  if (info.workflowExecution === undefined) return false;
  try {
    return await isActivityPaused(client, info.workflowExecution, info.activityId);
  } catch (error) {
    log.debug('Could not ask the server whether the activity is paused', { error });
    return true;
  }
}
