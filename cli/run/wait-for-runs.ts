import { followRun } from '../../client/follow-run.ts';
import { buildRunUrl } from '../../client/run-url.ts';
import { findKeptStaging } from '../../client/staging.ts';
import type { WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import { adoptStaging, findForeign } from '../media/kept-rerun.ts';
import { planKept, RunDelivery } from '../media/run-delivery.ts';
import { TakenPlaces } from '../media/taken-places.ts';
import type { Settings } from '../settings.ts';
import { deliverOutcome } from './deliver-outcome.ts';
import { explainFailure } from './explain-failure.ts';
import { untilAborted } from './interrupts.ts';
import { exitCodeOf, type RunFacts, type RunReport } from './run-report.ts';
import { type StackWork, temporalEndsWith, withStack } from './with-stack.ts';
import type { RunOptions, WorkflowCommand } from './workflow-command.ts';
import { writeReports } from './write-reports.ts';

/** `--wait ID`: follows earlier runs one after the other and delivers their files. */
export async function waitForRuns<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  workflowIds: readonly string[],
  options: RunOptions,
  settings: Settings,
): Promise<number> {
  const { userFolder } = settings;
  const shown = { isSingle: workflowIds.length === 1, json: options.json, startedAtMs: Date.now(), userFolder };
  return await withStack(command.name, settings, async (work) => {
    const reports = await waitForEach(command, workflowIds, options, settings, work);
    work.progress.stop();
    writeReports(reports, { ...shown, endsWithUs: temporalEndsWith(work.stack) });
    return work.interrupts.first.aborted ? work.interrupts.exitCode : exitCodeOf(reports);
  });
}

export async function waitForEach<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  workflowIds: readonly string[],
  options: RunOptions,
  settings: Settings,
  work: StackWork,
): Promise<RunReport[]> {
  const reports: RunReport[] = [];
  const taken = new TakenPlaces();
  for (const workflowId of workflowIds) {
    if (work.interrupts.first.aborted) break;
    const report = waitForRun(command, workflowId, options, settings, work, taken);
    const isSingle = workflowIds.length === 1;
    reports.push(await (isSingle ? report : report.catch((error) => reportUnknown(command, workflowId, error))));
  }
  return reports;
}

/** Reports an unknown or unreadable run of several; the others continue. */
async function reportUnknown<Type extends WorkflowType>(
  { workflowType }: WorkflowCommand<Type>,
  workflowId: string,
  error: unknown,
): Promise<RunReport> {
  const { isUnreadable } = await import('../../client/unreadable.ts');
  if (!(error instanceof CliError) && !isUnreadable(error)) throw error;
  const facts: RunFacts = { title: workflowId, source: workflowId, target: workflowType, workflowId };
  return { ...facts, state: 'failed', files: [], message: await explainFailure(error, false) };
}

async function waitForRun<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  workflowId: string,
  options: RunOptions,
  settings: Settings,
  { stack, progress, interrupts, onAbandon }: StackWork,
  taken: TakenPlaces,
): Promise<RunReport> {
  const { createClient } = await import('../../client/connection.ts');
  const { readInput, throwUndescribed } = await import('../../client/rerun.ts');
  const { isUnreadable } = await import('../../client/unreadable.ts');
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  const client = createClient(stack.connection, stack.facts.namespace, settings.dataConverter);
  const handle = client.workflow.getHandle(workflowId);
  const { type, runId, startTime, raw } = await handle.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) return throwUndescribed(error, workflowId);
    throw new CliError(`There is no run ${workflowId} in the Temporal namespace ${stack.facts.namespace}.`);
  });
  if (type !== command.workflowType) {
    throw new CliError(`${workflowId} is a run of the workflow ${type}, not of \`npx holdfast ${command.name}\`.`);
  }
  // The files of a run that continued as new are staged under its first run id.
  const firstRunId = raw.workflowExecutionInfo?.firstRunId ?? runId;
  const { uiUrl, namespace } = stack.facts;
  const facts: RunFacts = {
    title: workflowId,
    source: workflowId,
    target: command.workflowType,
    workflowId,
    runId,
    ...(uiUrl !== undefined && { address: buildRunUrl(uiUrl, namespace, workflowId, runId) }),
  };
  progress.note(`${workflowId}\n${facts.address ?? ''}`.trimEnd());

  const { mediaRoot } = stack.facts;
  // All executions of a run have the same targets, and Temporal may have deleted the first one.
  const readTargets = async () =>
    await readInput(client, workflowId, runId).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error;
    });
  const recorded = await findKeptStaging(mediaRoot, firstRunId);
  const input = recorded === undefined ? await readTargets() : undefined;
  const kept = recorded ?? (await adoptStaging(input, firstRunId, mediaRoot));
  const delivery =
    kept && new RunDelivery(planKept(kept.delivery, options, settings), kept.staging, settings.userFolder, true, taken);
  const following = new AbortController();
  const result = followRun(client, handle, command.workflowType, {
    onStatus: (status) => progress.show(status),
    signal: following.signal,
  });
  const interrupted = untilAborted(interrupts.first).then(() => 'interrupted' as const);
  try {
    const outcome = await Promise.race([result, stack.broken, interrupted]);
    progress.stop();
    if (outcome === 'interrupted') {
      return {
        ...facts,
        state: 'detached',
        files: [],
        message: `The run ${workflowId} continues without this command.`,
      };
    }
    if (kept === undefined || delivery === undefined) {
      const foreign = await findForeign(input, mediaRoot);
      return foreign === undefined ? reportStored(command, outcome, facts) : reportForeign(foreign, outcome, facts);
    }
    onAbandon(async () => delivery.abandon());
    // The run may have ended long ago.
    const { closeTime = new Date() } = await handle.describe();
    const tookMs = closeTime.getTime() - startTime.getTime();
    return await deliverOutcome(command, outcome, { delivery, staging: kept.staging }, tookMs, facts);
  } catch (error) {
    progress.stop();
    const { WorkflowFailedError } = await import('@temporalio/client');
    // A failed run has no files to deliver.
    if (error instanceof WorkflowFailedError) await kept?.staging.remove();
    return { ...facts, state: 'failed', files: [], message: await explainFailure(error, false) };
  } finally {
    following.abort();
    await result.catch(() => undefined);
  }
}

/** Reports a run whose files only its own command may write, as long as that command may live. */
function reportForeign(
  { host, outputFolder }: { host: string; outputFolder: string },
  result: unknown,
  facts: RunFacts,
): RunReport {
  const message = [
    `${facts.workflowId} has ended, and its command on the host ${host} may still write its files.`,
    `If that command has ended, copy them from ${outputFolder}. They stay there for a week from the run's start.`,
  ].join('\n');
  return { ...facts, state: 'undelivered', files: [], message, result };
}

/** Reports a run without staged files on this machine: its files are at the targets of its input. */
function reportStored<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  outcome: WorkflowOutcomes[Type],
  facts: RunFacts,
): RunReport {
  const isComplete = command.isComplete?.(outcome) !== false;
  const message = `${facts.workflowId} ${isComplete ? 'succeeded' : 'is incomplete'}. Its files are at the targets of its input:\n${JSON.stringify(outcome, null, 2)}`;
  return { ...facts, state: isComplete ? 'succeeded' : 'incomplete', files: [], message, result: outcome };
}
