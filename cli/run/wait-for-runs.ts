import { followRun } from '../../client/follow-run.ts';
import { buildRunUrl } from '../../client/run-url.ts';
import { findKeptStaging } from '../../client/staging.ts';
import type { WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import { adoptStaging } from '../media/kept-rerun.ts';
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
    const reports: RunReport[] = [];
    const taken = new TakenPlaces();
    for (const workflowId of workflowIds) {
      if (work.interrupts.first.aborted) break;
      const report = waitForRun(command, workflowId, options, settings, work, taken);
      reports.push(
        await (shown.isSingle ? report : report.catch((error) => reportUnknown(command, workflowId, error))),
      );
    }
    work.progress.stop();
    writeReports(reports, { ...shown, endsWithUs: temporalEndsWith(work.stack) });
    return work.interrupts.first.aborted ? work.interrupts.exitCode : exitCodeOf(reports);
  });
}

/** Reports an unknown run of several; the others continue. */
function reportUnknown<Type extends WorkflowType>(
  { workflowType }: WorkflowCommand<Type>,
  workflowId: string,
  error: unknown,
): RunReport {
  if (!(error instanceof CliError)) throw error;
  const facts: RunFacts = { title: workflowId, source: workflowId, target: workflowType, workflowId };
  return { ...facts, state: 'failed', files: [], message: error.message };
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
  const { readInput } = await import('../../client/rerun.ts');
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  const client = createClient(stack.connection, stack.facts.namespace, settings.dataConverter);
  const handle = client.workflow.getHandle(workflowId);
  const { type, runId, startTime, raw } = await handle.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
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
  const kept =
    (await findKeptStaging(mediaRoot, firstRunId)) ??
    (await adoptStaging(await readInput(client, workflowId, firstRunId), firstRunId, mediaRoot));
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
    if (kept === undefined || delivery === undefined) return reportStored(command, outcome, facts);
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
