import { basename } from 'node:path';
import { formatCount } from '../../client/text/format-count.ts';
import { defaultProcessingFormat } from '../../contract/defaults.ts';
import type { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { deliverOutput, assertNewFolder, parseDestination, uploadUrlPrefix } from '../media/destination.ts';
import { parseSource } from '../media/named-source.ts';
import { formatChunks, formatHeadline, formatOutput } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
import type { Settings } from '../settings.ts';
import type { ChunkOptions } from './chunk.ts';

export interface ProcessOptions extends ChunkOptions {
  format?: string;
  /** Keys of the worker's PROVIDERS_FILE, in the order in which they are to be used. */
  provider?: string[];
}

export async function process(sourceText: string, options: ProcessOptions, settings: Settings): Promise<number> {
  const { userFolder } = settings;
  const { chunkDuration, overlapDuration, format, provider, force } = options;
  const source = parseSource(sourceText, userFolder);
  const destination = parseDestination(options.out, userFolder, `${source.name}-processed`);
  assertNewFolder(destination, force);

  return await runCommand(
    {
      name: 'process',
      workflowType: 'processing',
      source,
      target:
        provider === undefined
          ? `${format ?? defaultProcessingFormat} in chunks`
          : `transcript by ${provider.join(' or ')}`,
      buildInput: (sourceUrl, staging) => ({
        sourceUrl,
        format,
        chunkDuration,
        overlapDuration,
        provider,
        uploadUrlPrefix: uploadUrlPrefix(destination, staging),
      }),
      async finish(outcome, staging, tookMs) {
        const placeOf = async (url: string) =>
          await deliverOutput(destination, staging, basename(new URL(url).pathname), { force, userFolder });
        const encoded = formatOutput(await placeOf(outcome.encoded.url), outcome.encoded);
        const places: string[] = [];
        for (const { url } of outcome.chunks) places.push(await placeOf(url));
        const processed = provider === undefined ? [] : await deliverTranscripts(outcome, placeOf);
        const what =
          provider === undefined
            ? `Encoded and cut into ${formatCount(outcome.chunks.length, 'chunk')}`
            : `Processed ${outcome.chunks.filter(({ status }) => status === 'completed').length} of ${formatCount(outcome.chunks.length, 'chunk')} (${outcome.status})`;
        return [
          formatHeadline(what, tookMs, outcome),
          ...processed,
          encoded,
          formatChunks(places, outcome.chunks),
        ].join('\n');
      },
      isComplete: ({ status }) => status === 'completed',
    },
    settings,
  );
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
