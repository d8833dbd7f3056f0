import { basename } from 'node:path';
import { ProcessingInput, ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { bring, assertNewFolder, parseDestination, uploadUrlPrefix } from '../media/destination.ts';
import { parseSource } from '../media/source.ts';
import { counted } from '../progress/counted.ts';
import { checked } from '../run/checked.ts';
import { chunksReport, headline, outputReport } from '../run/report.ts';
import { runJob } from '../run/run-job.ts';
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

  return await runJob(
    {
      command: 'process',
      workflowType: 'processing',
      source,
      target: provider === undefined ? `${format ?? 'opus_24'} in chunks` : `transcript by ${provider.join(' or ')}`,
      input: (sourceUrl, staging) =>
        checked(ProcessingInput, {
          sourceUrl,
          format,
          chunkDuration,
          overlapDuration,
          provider,
          uploadUrlPrefix: uploadUrlPrefix(destination, staging),
        }),
      async finish(result, staging, tookMs) {
        const outcome = ProcessingOutcome.parse(result);
        const placeOf = async (url: string) =>
          await bring(destination, staging, basename(new URL(url).pathname), { force, userFolder });
        const encoded = outputReport(await placeOf(outcome.encoded.url), outcome.encoded);
        const places: string[] = [];
        for (const { url } of outcome.chunks) places.push(await placeOf(url));
        const processed = provider === undefined ? [] : await transcripts(outcome, placeOf);
        const what =
          provider === undefined
            ? `Encoded and cut into ${counted(outcome.chunks.length, 'chunk')}`
            : `Processed ${outcome.chunks.filter(({ status }) => status === 'completed').length} of ${counted(outcome.chunks.length, 'chunk')} (${outcome.status})`;
        return [headline(what, tookMs, outcome), ...processed, encoded, chunksReport(places, outcome.chunks)].join(
          '\n',
        );
      },
      succeeded: (result) => ProcessingOutcome.parse(result).status === 'completed',
    },
    settings,
  );
}

/** Transcripts first, then why chunks are missing in them; each chunk's own answer is put beside it without a word. */
async function transcripts(
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
