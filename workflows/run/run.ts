import { ApplicationFailure, defineQuery, defineSignal, setHandler } from '@temporalio/workflow';
import { type JobProgress, jobProgressSignal } from '../../contract/activity.ts';
import type { WorkflowInputs, WorkflowType } from '../../contract/workflow/inputs.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { statusQuery, type WorkflowStatus } from '../../contract/workflow/status.ts';
import { prepare } from '../proxies.ts';
import { RunStatus } from '../status/run-status.ts';
import { ownFailure } from './own-failure.ts';
import { defaultRetryPolicy, type RetryPolicy, retryPolicy } from './retry-policy.ts';
import { RunJobs } from './run-jobs.ts';
import { newRunKey, type Resumed } from './run-key.ts';
import { assertPayloadFits } from './server-limit.ts';

/** One workflow run and what its steps share. */
export interface Run {
  /** Part of the idempotency keys of its jobs. */
  key: string;
  policy: RetryPolicy;
  status: RunStatus;
  jobs: RunJobs;
  /** What of its work the run has not done, although it ends with a result. */
  shortfall?: string | undefined;
}

/** The frame of all three workflows: a valid input, a status kept up to the end, and no job left running. */
export async function runWorkflow<Type extends WorkflowType, State, Result extends AttemptCounts>(
  type: Type,
  input: WorkflowInputs[Type],
  resumed: Resumed<State> | undefined,
  body: (input: WorkflowInputs[Type], run: Run, state: State | undefined) => Promise<Result>,
): Promise<Result> {
  const status = new RunStatus(type, defaultRetryPolicy.maxRetryTime);
  const jobs = new RunJobs();
  setHandler(defineQuery<WorkflowStatus>(statusQuery), () => status.read());
  setHandler(defineSignal<[JobProgress]>(jobProgressSignal), (progress) => status.reportProgress(progress));
  try {
    assertPayloadFits(`The input of "${type}"`, input);
    const prepared = resumed === undefined ? await prepare(type, input) : input;
    const run: Run = { key: resumed?.key ?? newRunKey(), policy: retryPolicy(prepared.retry), status, jobs };
    const result = await body(prepared, run, resumed?.state);
    assertPayloadFits(`The result of "${type}"`, result);
    await jobs.end();
    status.complete(result.elapsedSeconds, run.shortfall);
    return result;
  } catch (error) {
    const failure = ownFailure(error);
    if (failure === undefined) throw error;
    status.fail(failure instanceof ApplicationFailure ? failure.message : 'cancelled');
    await jobs.end();
    throw failure;
  }
}
