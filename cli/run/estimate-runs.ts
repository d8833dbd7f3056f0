import { stat } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import type { PastRuns } from '../../client/estimates/past-runs.ts';
import { createRunName } from '../../client/run-name.ts';
import { Staging } from '../../client/staging.ts';
import { estimatedSourceOf } from '../../contract/estimated-source.ts';
import { EstimateRequest, type EstimateView } from '../../contract/server/estimate.ts';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { labelsOf, type OutputsPlan } from './encode-tasks.ts';
import { explainFailure } from './explain-failure.ts';
import { formatRunEstimate } from './format-estimate.ts';
import { inspectSource } from './inspect-source.ts';
import { assertReadsFiles } from './media-check.ts';
import { formatTitle, showSource } from './run-report.ts';
import { type StackWork, withStack } from './with-stack.ts';
import type { RunOptions } from './workflow-command.ts';

/** Containers inspect a few sources at once, beside their jobs. */
const atOnce = 4;

interface Estimated {
  title: string;
  source: string;
  labels: string[];
  estimate?: EstimateView;
  error?: string;
}

/** Prints the expected time, size and cost, from past runs of the same kind. Starts no run. */
export async function estimateRuns(
  plans: readonly OutputsPlan[],
  { owner, json }: Pick<RunOptions, 'owner' | 'json'>,
  settings: Settings,
): Promise<number> {
  return await withStack('encode', settings, async (work) => {
    const { stack, progress, interrupts } = work;
    if (plans.some(({ source }) => source.kind === 'file')) await assertReadsFiles(stack, settings);
    const [{ createClient }, { PastRuns }] = await Promise.all([
      import('../../client/connection.ts'),
      import('../../client/estimates/past-runs.ts'),
    ]);
    const client = createClient(stack.connection, stack.facts.namespace, settings.dataConverter);
    const past = new PastRuns(client, stack.facts.taskQueue);
    const estimateOne = async (plan: OutputsPlan): Promise<Estimated> => {
      const { source, outputs } = plan;
      const title = formatTitle({ source, target: labelsOf(outputs) });
      const facts = { title, source: showSource(source), labels: outputs.map(({ label }) => label) };
      try {
        return { ...facts, estimate: await estimate(plan, owner, { client, past, work, settings }) };
      } catch (error) {
        if (interrupts.first.aborted) throw new CliError('Cancelled.', interrupts.exitCode);
        return { ...facts, error: await explainFailure(error, source.kind === 'url') };
      }
    };
    const estimated = await pMap(plans, estimateOne, { concurrency: atOnce });
    progress.stop();
    process.stdout.write(`${json ? JSON.stringify({ runs: estimated }, null, 2) : formatAll(estimated)}\n`);
    return estimated.some(({ error }) => error !== undefined) ? 1 : 0;
  });
}

function formatAll(estimated: readonly Estimated[]): string {
  return estimated
    .map(({ title, labels, estimate, error = '' }) =>
      [title, ...(estimate === undefined ? [`  no estimate: ${error}`] : formatRunEstimate(labels, estimate))].join(
        '\n',
      ),
    )
    .join('\n');
}

interface Tools {
  client: Client;
  past: PastRuns;
  work: StackWork;
  settings: Settings;
}

async function estimate(
  { source, outputs }: OutputsPlan,
  owner: string | undefined,
  { client, past, work: { stack, interrupts, onAbandon }, settings }: Tools,
): Promise<EstimateView> {
  const staging = new Staging(stack.facts.mediaRoot, createRunName('estimate', source.name));
  onAbandon(async () => await staging.remove());
  try {
    const isFile = source.kind === 'file';
    if (isFile) await staging.create();
    const sourceUrl = isFile ? await staging.addSource(source.path) : source.url;
    const metadata = await inspectSource(client, stack.facts.taskQueue, sourceUrl, interrupts.first);
    const bytes = isFile ? (await stat(source.path)).size : undefined;
    const request = EstimateRequest.parse({
      source: estimatedSourceOf(metadata, bytes),
      outputs: outputs.map(({ output }) => output),
    });
    return await past.estimate(request, owner, settings.prices);
  } finally {
    await staging.remove();
  }
}
