import pMap from 'p-map';
import { Staging, sweepStaging } from '../../client/staging.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import { TakenPlaces } from '../media/taken-places.ts';
import { createBatchProgress } from '../progress/create-progress.ts';
import type { Settings } from '../settings.ts';
import { goesOnAlone } from '../stack/stack.ts';
import { CommandRun, inputOf } from './command-run.ts';
import { explainFailure } from './explain-failure.ts';
import { assertReadsFiles, sharesFiles } from './media-check.ts';
import { exitCodeOf, formatTitle, type RunReport, showSource } from './run-report.ts';
import { type StackWork, temporalEndsWith, withStack } from './with-stack.ts';
import { writeReports } from './write-reports.ts';
import {
  commonInputOf,
  type RunOptions,
  type RunTask,
  type SkippedTask,
  type WorkflowCommand,
} from './workflow-command.ts';

/** Concurrent runs: more than a worker usually has containers, so that none idles. */
const runsAtOnce = 16;
/** Pause between two reads of a status; each read is two requests to Temporal. */
const pauseMs = 500;
const pauseInBatchMs = 2_000;
/** Stands for a source's duration where an input is only checked. */
const anySeconds = 3_600;

/** Executes a command: opens the stack, runs each task and returns the exit code. */
export async function runCommand<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  tasks: readonly (RunTask | SkippedTask)[],
  options: RunOptions,
  settings: Settings,
): Promise<number> {
  const { userFolder } = settings;
  const shown = { isSingle: tasks.length === 1, json: options.json, startedAtMs: Date.now(), userFolder };
  const skipped = tasks.filter((task) => 'skipped' in task).map(reportSkipped);
  const wanted = tasks.filter((task) => 'delivery' in task);
  if (options.workflowId !== undefined && wanted.length > 1) {
    throw new CliError(`--workflow-id names one run, but ${wanted.length} sources were given.`);
  }
  const common = commonInputOf(options);
  // Invalid inputs are refused before anything starts.
  for (const task of wanted) {
    const sourceUrl = task.source.kind === 'url' ? task.source.url : 'file:///source';
    inputOf(command, task, common, sourceUrl, new Staging(settings.mediaRoot, 'run'), anySeconds);
  }
  if (wanted.length === 0) {
    writeReports(skipped, shown);
    return exitCodeOf(skipped);
  }
  return await withStack(command.name, settings, async (work) => {
    const reports = await runTasks(command, wanted, { options, settings, work });
    work.progress.stop();
    const isRepeatable =
      !options.overwrite &&
      wanted.every(({ delivery, isPreview = false }) => !isPreview && delivery.destination.kind === 'folder');
    writeReports([...skipped, ...reports], { ...shown, isRepeatable, endsWithUs: temporalEndsWith(work.stack) });
    return work.interrupts.first.aborted ? work.interrupts.exitCode : exitCodeOf(reports);
  });
}

interface TaskContext {
  options: RunOptions;
  settings: Settings;
  work: StackWork;
}

async function runTasks<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  tasks: readonly RunTask[],
  { options, settings, work }: TaskContext,
): Promise<RunReport[]> {
  const { stack, progress, interrupts, onAbandon } = work;
  if (options.detach && !goesOnAlone(stack)) {
    throw new CliError(
      '--detach needs a stack that keeps running after this command. Run `npx holdfast start` in another terminal first.',
    );
  }
  if (tasks.some(sharesFiles)) await assertReadsFiles(stack, settings);
  await command.prepare?.(stack, (sentence) => progress.note(sentence));
  void sweepStaging(stack.facts.mediaRoot, (sentence) => progress.note(sentence));
  const { createClient } = await import('../../client/connection.ts');
  const client = createClient(stack.connection, stack.facts.namespace, settings.dataConverter);
  const batch = tasks.length === 1 ? undefined : createBatchProgress(tasks.length, process.stderr, settings);
  const taken = new TakenPlaces();
  const runOne = async (task: RunTask): Promise<RunReport | undefined> => {
    if (interrupts.first.aborted) return undefined;
    const title = formatTitle(task);
    const run = new CommandRun({
      command,
      task,
      settings,
      client,
      stack,
      interrupts,
      progress: batch?.runOf(title) ?? progress,
      workflowId: options.workflowId,
      common: commonInputOf(options),
      detach: options.detach,
      pauseMs: batch === undefined ? pauseMs : pauseInBatchMs,
      taken,
    });
    onAbandon(() => run.abandon());
    const report = await run.execute().catch(async (error: unknown): Promise<RunReport> => {
      // In a batch, the other runs continue.
      if (batch === undefined) throw error;
      const message = await explainFailure(error, task.source.kind === 'url');
      return { title, source: showSource(task.source), target: task.target, state: 'failed', files: [], message };
    });
    batch?.end(title, report.state === 'succeeded' ? 'succeeded' : `${report.state}. ${report.message ?? ''}`.trim());
    return report;
  };
  try {
    const reports = await pMap(tasks, runOne, { concurrency: runsAtOnce });
    return reports.filter((report) => report !== undefined);
  } finally {
    batch?.stop();
  }
}

function reportSkipped({ source, target, skipped }: SkippedTask): RunReport {
  return {
    title: formatTitle({ source, target }),
    source: showSource(source),
    target,
    state: 'skipped',
    files: [],
    message: skipped,
  };
}
