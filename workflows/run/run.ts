import {
  ActivityFailure,
  ApplicationFailure,
  defineQuery,
  defineSignal,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { type JobProgress, jobProgressSignal } from '../../contract/activity.ts';
import { statusQuery, type WorkflowStatus } from '../../contract/workflow/status.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import type { WorkflowInputs, WorkflowType } from '../../contract/workflow/inputs.ts';
import { CancelledJob } from './cancelled-job.ts';
import { defaultRetryPolicy, type RetryPolicy, retryPolicy } from './retry-policy.ts';
import { prepare } from '../proxies.ts';
import { RunStatus } from '../status/run-status.ts';

/** One workflow run and what its steps share. */
export interface Run {
  policy: RetryPolicy;
  board: RunStatus;
  job: CancelledJob;
}

/** The frame of all three workflows: a valid input in, the status kept up to the end, no job left behind. */
export async function runWorkflow<Type extends WorkflowType, Result extends AttemptCounts>(
  type: Type,
  input: WorkflowInputs[Type],
  alreadyPrepared: boolean,
  body: (input: WorkflowInputs[Type], run: Run) => Promise<Result>,
): Promise<Result> {
  const board = new RunStatus(type, defaultRetryPolicy.maxRetryTime);
  const job = new CancelledJob();
  setHandler(defineQuery<WorkflowStatus>(statusQuery), () => board.status());
  setHandler(defineSignal<[JobProgress]>(jobProgressSignal), (progress) => {
    board.progressed(progress);
    job.moved(progress.location);
  });
  try {
    const prepared = alreadyPrepared ? input : await preparedInput(type, input);
    const result = await body(prepared, { policy: retryPolicy(prepared.retry), board, job });
    board.done(result.elapsedSeconds);
    return result;
  } catch (error) {
    if (isCancellation(error)) {
      board.failed('cancelled');
      await job.settled();
    } else if (error instanceof ApplicationFailure) {
      board.failed(error.message);
    }
    throw error;
  }
}

/** A refused input is the run's own failure, with its own type and not as an activity's. */
async function preparedInput<Type extends WorkflowType>(
  type: Type,
  input: WorkflowInputs[Type],
): Promise<WorkflowInputs[Type]> {
  try {
    return await prepare(type, input);
  } catch (error) {
    if (!(error instanceof ActivityFailure && error.cause instanceof ApplicationFailure)) throw error;
    const refused = error.cause;
    throw ApplicationFailure.nonRetryable(refused.message, refused.type, ...(refused.details ?? []));
  }
}
