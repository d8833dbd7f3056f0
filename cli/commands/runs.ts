import { setTimeout as delay } from 'node:timers/promises';
import { buildRunUrl } from '../../client/run-url.ts';
import { usageCsv } from '../../client/usage-csv.ts';
import type { ListedRun } from '../../client/list-runs.ts';
import type { RunFilter } from '../../contract/server/run-state.ts';
import { costOf } from '../../contract/prices.ts';
import { redactUrlsIn } from '../../contract/shown-url.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { usagePeriod } from '../../contract/server/usage.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import { Interrupts } from '../run/interrupts.ts';
import { waitingCommand } from '../run/workflow-command.ts';
import { formatRun } from '../runs/format-run.ts';
import { formatRuns } from '../runs/format-runs.ts';
import { formatUsage, leftOutNote } from '../runs/format-usage.ts';
import type { Settings } from '../settings.ts';
import { withTemporal } from '../stack/running-temporal.ts';
import { outputClosed } from '../standard-output.ts';
import { readJsonArgument } from '../media/json-argument.ts';
import { widthOf, wrapText } from '../text/wrap-text.ts';

export interface RunsOptions {
  watch: boolean;
  state?: RunFilter;
  owner?: string;
  from?: string;
  to?: string;
  limit: number;
  json: boolean;
}

export interface UsageOptions {
  csv?: boolean;
  owner?: string;
  from?: string;
  to?: string;
  json: boolean;
}

export interface RerunOptions {
  /** JSON Merge Patch for the input, or the path of its file. */
  changes?: string;
}

export interface ShowOptions {
  json: boolean;
}

const watchPauseMs = 2_000;
const dayMs = 24 * 3_600_000;

/** First moment of a day in UTC. */
const startOfDay = (day: string): Date => new Date(`${day}T00:00:00Z`);

export async function listRuns(options: RunsOptions, settings: Settings): Promise<number> {
  return await withTemporal(settings, 'runs', async (client) => {
    const { listRunsOf } = await import('../../client/list-runs.ts');
    const interrupts = new Interrupts(settings.parentPid);
    const { state, owner, from, to, limit, watch, json } = options;
    const signal = AbortSignal.any([interrupts.first, outputClosed()]);
    const read = async () =>
      await listRunsOf(client, {
        taskQueue: settings.taskQueue,
        state,
        owner,
        startedSince: from === undefined ? undefined : startOfDay(from),
        startedBefore: to === undefined ? undefined : new Date(startOfDay(to).getTime() + dayMs),
        limit,
        signal,
      });
    const show = async () => {
      const runs = await read();
      if (signal.aborted) return;
      const text = json ? JSON.stringify({ runs: runs.map(describeRun) }, null, 2) : formatList(runs);
      process.stdout.write(`${watch && process.stdout.isTTY ? clearScreen : ''}${text}\n`);
    };
    await show();
    if (!watch) return 0;
    while (!signal.aborted) {
      await delay(watchPauseMs, undefined, { signal }).catch(() => undefined);
      await show();
    }
    return 0;
  });
}

/** Moves the cursor to the top left and clears the screen below. */
const clearScreen = '\x1b[H\x1b[J';

/** A run in the `--json` output. */
function describeRun({ record, state, status, failure }: ListedRun): Record<string, unknown> {
  const { workflowId, runId, workflowType, startedAt, endedAt, owner } = record;
  return { workflowId, runId, workflowType, state, startedAt, endedAt, owner, status, failure };
}

function formatList(runs: readonly ListedRun[]): string {
  return formatRuns(runs, { now: new Date(), width: widthOf(process.stdout) });
}

export async function showUsage(
  { owner, json, csv = false, ...days }: UsageOptions,
  settings: Settings,
): Promise<number> {
  const period = usagePeriod(days, new Date());
  if (typeof period === 'string') throw new CliError(period);
  return await withTemporal(settings, 'runs', async (client) => {
    const { readUsageTotals } = await import('../../client/run-usage.ts');
    const usage = await readUsageTotals(client, { taskQueue: settings.taskQueue, owner, period }, settings.prices);
    const width = widthOf(process.stdout);
    const text = json ? JSON.stringify(usage, null, 2) : formatUsage(usage, { width });
    process.stdout.write(csv ? usageCsv(usage) : `${text}\n`);
    if (csv && !usage.complete) process.stderr.write(`${leftOutNote}\n`);
    return 0;
  });
}

export async function showRun(workflowId: string, { json }: ShowOptions, settings: Settings): Promise<number> {
  return await withTemporal(settings, 'runs', async (client, { uiUrl, namespace }) => {
    const { readRunDetails } = await import('../../client/run-details.ts');
    const interrupts = new Interrupts(settings.parentPid);
    const run = await readRunDetails(client, workflowId, interrupts.first);
    const { input, outcome, counts, usage } = run;
    const cost = usage === undefined ? undefined : costOf(usage, settings.prices);
    const price = cost === undefined ? {} : { cost, currency: settings.prices.currency };
    const address = uiUrl === undefined ? undefined : buildRunUrl(uiUrl, namespace, workflowId, run.record.runId);
    const text = json
      ? redactUrlsIn(
          JSON.stringify(
            {
              ...describeRun(run),
              input,
              outcome,
              ...counts,
              usage: usage && { ...usage, ...price },
              address,
            },
            withoutHeaders,
            2,
          ),
        )
      : formatRun(run, { now: new Date(), width: widthOf(process.stdout), address, ...price });
    process.stdout.write(`${text}\n`);
    return 0;
  });
}

/** Headers may carry credentials. */
function withoutHeaders(name: string, value: unknown): unknown {
  return name === 'headers' ? undefined : value;
}

export async function cancelRuns(workflowIds: readonly string[], settings: Settings): Promise<number> {
  return await withTemporal(settings, 'runs', async (client) => {
    let exitCode = 0;
    for (const workflowId of workflowIds) {
      try {
        const handle = client.workflow.getHandle(workflowId);
        // Temporal accepts the cancellation of an ended run without an error.
        const { status } = await handle.describe();
        if (status.name !== 'RUNNING') throw new Error(`it has already ended (${status.name.toLowerCase()})`);
        await handle.cancel();
        process.stdout.write(`${workflowId} is being cancelled.\n`);
      } catch (error) {
        exitCode = 1;
        process.stderr.write(`${workflowId} cannot be cancelled: ${(error as Error).message}.\n`);
      }
    }
    return exitCode;
  });
}

export async function rerun(workflowId: string, options: RerunOptions, settings: Settings): Promise<number> {
  const changes = options.changes === undefined ? undefined : readChanges(options.changes, settings.userFolder);
  return await withTemporal(settings, 'runs', async (client, { uiUrl, namespace, mediaRoot }) => {
    const { readInput, rerunWorkflow } = await import('../../client/rerun.ts');
    const handle = await rerunWorkflow(client, workflowId, {
      mediaRoot,
      ...(changes !== undefined && { changes }),
      details: `Started by \`npx holdfast runs rerun ${workflowId}\`.`,
    });
    const address =
      uiUrl === undefined ? '' : `\n  ${buildRunUrl(uiUrl, namespace, handle.workflowId, handle.firstExecutionRunId)}`;
    const change = changes === undefined ? '' : ', changed';
    const text = `${handle.workflowId} has been started with the input of ${workflowId}${change}.`;
    process.stdout.write(`${wrapText(text, widthOf(process.stdout))}${address}\n`);
    const { keepRerun } = await import('../media/kept-rerun.ts');
    const input = await readInput(client, handle.workflowId);
    const isKept =
      mediaRoot !== undefined &&
      (await keepRerun(input, handle.firstExecutionRunId, { mediaRoot, folder: settings.userFolder }));
    if (isKept) {
      const command = waitingCommand({ workflowType: (await handle.describe()).type as WorkflowType });
      process.stdout.write(`  Fetch its files: npx holdfast ${command} --wait ${handle.workflowId}\n`);
    }
    return 0;
  });
}

function readChanges(text: string, userFolder: string): Record<string, unknown> {
  const { where, json } = readJsonArgument('--changes', text, { userFolder, example: '{"owner": "anna"}' });
  if (isRecord(json)) return json;
  throw new CliError(`${where} is not a JSON object.`);
}
