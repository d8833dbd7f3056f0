import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { definedFields } from '../contract/defined-fields.ts';
import type { RunUsage } from '../contract/usage.ts';
import { AttemptCounts } from '../contract/workflow/retry.ts';
import { ClientError } from './client-error.ts';
import { describeFailure } from './failure.ts';
import { askRun, type ListedRun } from './list-runs.ts';
import { readInput, throwUndescribed } from './rerun.ts';
import { readRunRecord } from './run-record.ts';
import { readUsage } from './run-usage.ts';
import { readShortfall } from './shortfall.ts';
import { unlessEncrypted } from './unreadable.ts';

/** All that Temporal knows about a run. */
export interface RunDetails extends ListedRun {
  /** The given input; it is not validated. */
  input: unknown;
  outcome?: unknown;
  /** Missing while the run is open, and if it has ended without them. */
  counts?: AttemptCounts;
  /** Missing while the run is open, and if its containers reported none. */
  usage?: RunUsage;
}

export async function readRunDetails(client: Client, workflowId: string, signal: AbortSignal): Promise<RunDetails> {
  const handle = client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe().catch((error: unknown) => throwUndescribed(error, workflowId));
  const run = await askRun(client, readRunRecord(raw.workflowExecutionInfo ?? {}), signal);
  const input = await readInput(client, workflowId).catch((error: unknown) => {
    if (error instanceof ClientError) return undefined;
    throw error;
  });
  if (run.record.ending === undefined) return { ...run, input };
  const usage = await unlessEncrypted(readUsage(client, run.record));
  const used = usage === undefined ? {} : { usage };
  try {
    const outcome: unknown = await handle.result();
    const failure = definedFields({ failure: readShortfall(outcome)?.message });
    return { ...run, input, ...used, outcome, ...failure, ...countsIn(outcome) };
  } catch (error) {
    const failure = error instanceof WorkflowFailedError ? error.cause : undefined;
    const facts = failure instanceof ApplicationFailure ? failure.details?.[0] : undefined;
    return { ...run, input, ...used, failure: describeFailure(error), ...countsIn(facts) };
  }
}

function countsIn(facts: unknown): Pick<RunDetails, 'counts'> {
  const { data } = AttemptCounts.safeParse(facts);
  return data === undefined ? {} : { counts: data };
}
