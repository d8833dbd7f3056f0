import {
  ApplicationFailure,
  ContinueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  patched,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { type JobProgress, jobProgressSignal } from '../../contract/activity.ts';
import { type Requester, requesterOf } from '../../contract/requester.ts';
import type { SearchAttributeName } from '../../contract/search-attributes.ts';
import type { WorkflowInputs, WorkflowType } from '../../contract/workflow/inputs.ts';
import { type PriorityChange, prioritySignal } from '../../contract/workflow/priority.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { usageMemo } from '../../contract/usage-memo.ts';
import { statusQuery, type WorkflowStatus } from '../../contract/workflow/status.ts';
import { prepareInput } from '../proxies.ts';
import { runMetrics } from '../status/counters.ts';
import { currentDetails } from '../status/details.ts';
import { RunStatus } from '../status/run-status.ts';
import type { RunModel } from '../status/run-model.ts';
import { setSearchAttributes } from '../status/search-attributes.ts';
import { searchValuesOf } from '../status/search-values.ts';
import { usableSearchAttributes } from '../status/usable-search-attributes.ts';
import { RunWebhooks, unpreparedWebhooks } from '../webhooks/run-webhooks.ts';
import { ownFailure } from './own-failure.ts';
import { defaultRetryPolicy, type RetryPolicy, retryPolicy } from './retry-policy.ts';
import { RunJobs } from './run-jobs.ts';
import { RunPriority } from './run-priority.ts';
import { newRunKey, type Resumed } from './run-key.ts';
import { assertPayloadFits } from './server-limit.ts';
import { UsedResources } from './used-resources.ts';

export interface Run {
  key: string;
  /** The requester whose rights decide which of the workers' secrets are used. */
  requester: Requester | undefined;
  policy: RetryPolicy;
  status: RunStatus;
  jobs: RunJobs;
  used: UsedResources;
  priority: RunPriority;
  webhooks: RunWebhooks | undefined;
  /** Sentence that says which work was not done although the run has a result. */
  shortfall?: string | undefined;
}

/** What the run passes to its successor when it continues as new. */
export function resumedBy<State>({ key, used: { total: usage }, webhooks }: Run, state: State): Resumed<State> {
  const reportedWaits = webhooks?.reportedWaits ?? [];
  return { key, state, ...(usage !== undefined && { usage }), ...(reportedWaits.length > 0 && { reportedWaits }) };
}

/** Waits that the run reported before it continued as new. */
function reportedBefore(resumed: Resumed<unknown> | undefined): Resumed<unknown>['reportedWaits'] {
  const waits = resumed?.reportedWaits;
  // A worker of an older version may have begun this run. It ignores these waits and reports them again.
  return waits !== undefined && patched('reported-waits-are-passed-on') ? waits : undefined;
}

/** Keeps the usage with the run. Lists of runs include the memo, so sums need not read each run's result. */
function keepUsage({ total }: UsedResources): void {
  // Older versions end the run here without another command.
  if (total !== undefined && patched('usage-in-memo')) upsertMemo({ [usageMemo]: total });
}

/** Wraps all three workflows: validates the input, keeps the status current until the end and leaves no job running. */
export async function runWorkflow<Type extends WorkflowType, State, Result extends AttemptCounts>(
  type: Type,
  input: WorkflowInputs[Type],
  resumed: Resumed<State> | undefined,
  body: (input: WorkflowInputs[Type], run: Run, state: State | undefined) => Promise<Result>,
): Promise<Result> {
  let attributes: SearchAttributeName[] = [];
  let webhooks: RunWebhooks | undefined;
  const show = (model: RunModel): void => {
    setCurrentDetails(currentDetails(model));
    const values = searchValuesOf(model);
    if (values !== undefined) setSearchAttributes(values, attributes);
    webhooks?.reportChange(model);
  };
  const status = new RunStatus(type, defaultRetryPolicy.maxRetryTime, show);
  const jobs = new RunJobs();
  const used = new UsedResources(resumed?.usage);
  const requester = requesterOf(workflowInfo().memo, input?.owner);
  setHandler(defineQuery<WorkflowStatus>(statusQuery), () => status.read());
  setHandler(defineSignal<[JobProgress]>(jobProgressSignal), (progress) => status.reportProgress(progress));
  try {
    attributes = await usableSearchAttributes();
    assertPayloadFits(`The input of "${type}"`, input);
    const prepared = resumed === undefined ? await prepareInput(type, input, requester) : input;
    if (prepared.webhook !== undefined)
      webhooks = new RunWebhooks(prepared.webhook, prepared, requester, reportedBefore(resumed));
    if (resumed === undefined) webhooks?.reportStart();
    const run: Run = {
      key: resumed?.key ?? newRunKey(),
      requester,
      policy: retryPolicy(prepared.retry),
      priority: new RunPriority(prepared),
      status,
      jobs,
      used,
      webhooks,
    };
    setHandler(defineSignal<[PriorityChange]>(prioritySignal), ({ priority, moves }) =>
      run.priority.change(priority, moves),
    );
    const result = await body(prepared, run, resumed?.state);
    assertPayloadFits(`The result of "${type}"`, result);
    await jobs.end();
    keepUsage(used);
    status.complete(result.elapsedSeconds, run.shortfall);
    runMetrics.countEnd(run.shortfall === undefined ? 'succeeded' : 'failed');
    await webhooks?.sent();
    return result;
  } catch (error) {
    const failure = ownFailure(error);
    if (failure === undefined) {
      if (error instanceof ContinueAsNew) await webhooks?.sent();
      throw error;
    }
    webhooks ??= unpreparedWebhooks(failure, input, requester);
    if (failure instanceof ApplicationFailure) status.fail(failure.message);
    else status.cancel();
    runMetrics.countEnd(failure instanceof ApplicationFailure ? 'failed' : 'cancelled');
    await jobs.end();
    keepUsage(used);
    await webhooks?.sent();
    throw failure;
  }
}
