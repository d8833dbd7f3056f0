import { basename } from 'node:path';
import { formatCount } from '../../client/text/format-count.ts';
import { defaultProcessingFormat } from '../../contract/defaults.ts';
import type { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { formatChunks, formatHeadline, formatOutput } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
import { waitForRuns } from '../run/wait-for-runs.ts';
import type { WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';
import { type ChunkOptions, planFolderTasks } from './chunk.ts';

export interface ProcessOptions extends ChunkOptions {
  format?: string;
  /** Keys of the worker's PROVIDERS_FILE, in the order in which they are to be used. */
  provider?: string[];
}

const command: WorkflowCommand<'processing'> = {
  name: 'process',
  workflowType: 'processing',
  async deliver(outcome, delivery, tookMs) {
    const place = async (url: string) => await delivery.deliver(basename(new URL(url).pathname));
    const encoded = formatOutput(await place(outcome.encoded.url), outcome.encoded);
    const places: string[] = [];
    for (const { url } of outcome.chunks) places.push(await place(url));
    const wasProcessed = outcome.chunks.some(({ provider, error }) => provider !== undefined || error !== undefined);
    const processed = wasProcessed ? await deliverTranscripts(outcome, place) : [];
    const what = wasProcessed
      ? `Processed ${outcome.chunks.filter(({ status }) => status === 'completed').length} of ${formatCount(outcome.chunks.length, 'chunk')} (${outcome.status})`
      : `Encoded and cut into ${formatCount(outcome.chunks.length, 'chunk')}`;
    return [formatHeadline(what, tookMs, outcome), ...processed, encoded, formatChunks(places, outcome.chunks)].join(
      '\n',
    );
  },
  isComplete: ({ status }) => status === 'completed',
};

export async function process(texts: readonly string[], options: ProcessOptions, settings: Settings): Promise<number> {
  if (options.wait !== undefined) return await waitForRuns(command, options.wait, options, settings);
  const { chunkDuration, overlapDuration, format, provider } = options;
  const tasks = planFolderTasks(texts, options, settings, {
    target:
      provider === undefined
        ? `${format ?? defaultProcessingFormat} in chunks`
        : `transcript by ${provider.join(' or ')}`,
    folderSuffix: '-processed',
    input: { format, chunkDuration, overlapDuration, provider },
  });
  return await runCommand(command, tasks, options, settings);
}

/** Lines for the transcripts and for the chunks that are missing in them. Each chunk's own answer is delivered too, without a line. */
async function deliverTranscripts(
  { transcript, chunks }: ProcessingOutcome,
  placeOf: (url: string) => Promise<string>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const url of Object.values(transcript ?? {})) lines.push(`  ${await placeOf(url)}`);
  for (const { url, status } of chunks) {
    if (status === 'completed') await placeOf(url.replace(/\.[a-z0-9]+$/, '.json'));
  }
  const failed = chunks.filter(({ status }) => status === 'failed');
  lines.push(
    ...failed.map(
      ({ index, error, message }) => `  chunk ${index} failed: ${error}${message === undefined ? '' : ` (${message})`}`,
    ),
  );
  return lines;
}
