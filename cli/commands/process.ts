import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { formatCount } from '../../client/text/format-count.ts';
import type { ListedChunk } from '../../contract/chunk-list.ts';
import { chunkAnswerUrl } from '../../contract/chunk-plan.ts';
import { defaultProcessingFormat } from '../../contract/defaults.ts';
import { defaultLocalKey, isLocalKey } from '../../contract/local-provider.ts';
import { formatExtension } from '../../contract/formats.ts';
import { namesOfProcessing } from '../../contract/written-names.ts';
import type { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import type { WantedSpeakers } from '../../contract/speakers.ts';
import type { Vocabulary } from '../../contract/vocabulary.ts';
import { CliError } from '../cli-error.ts';
import { type CaptionArguments, captionsOf } from '../media/caption-arguments.ts';
import { deliverList, readChunks } from '../media/delivered-chunks.ts';
import type { RunDelivery } from '../media/run-delivery.ts';
import { printable } from '../text/printable.ts';
import { formatChunks, formatHeadline, formatOutput } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
import { waitForRuns } from '../run/wait-for-runs.ts';
import type { WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';
import { noProvider } from '../option-values.ts';
import { prepareTranscriber } from '../stack/transcriber-setup.ts';
import { type ChunkOptions, planFolderTasks } from './chunk.ts';

/** A run encodes its source and cuts the encoded file. */
const containerSteps = 2;

/** More lines would push the rest of the result off the screen. */
const maxFailureLines = 20;

/** About a screen. */
const maxPrintedCharacters = 1_200;

export interface ProcessOptions extends ChunkOptions, CaptionArguments {
  format?: string;
  /** Keys of providers in order of preference, or `none`. */
  provider?: string[];
  chapters?: 'from-transcript';
  speakers?: WantedSpeakers;
  vocabulary?: Vocabulary;
  translate?: true;
}

const command: WorkflowCommand<'processing'> = {
  name: 'process',
  workflowType: 'processing',
  async deliver(outcome, delivery, tookMs) {
    const place = async (url: string) => await delivery.deliver(fileName(url));
    const encoded = formatOutput(await place(outcome.encoded.url), outcome.encoded);
    const chunks = await readChunks(outcome, delivery);
    const places: string[] = [];
    for (const { file } of chunks ?? []) places.push(await delivery.deliver(file));
    const wasProcessed = outcome.transcript !== undefined || outcome.failedChunks > 0;
    const text = await readText(outcome.transcript?.txt, delivery);
    const processed = wasProcessed ? await deliverTranscripts(outcome.transcript, chunks ?? [], delivery) : [];
    await deliverList(outcome, delivery);
    const count = formatCount(outcome.totalChunks, 'chunk');
    const what = wasProcessed
      ? `Processed ${outcome.totalChunks - outcome.failedChunks} of ${count} (${outcome.status})`
      : `Encoded and cut into ${count}`;
    const lines = chunks === undefined ? `  all are in ${outcome.chunksUrl}` : formatChunks(places, chunks);
    const headline = formatHeadline(what, tookMs, outcome, containerSteps);
    return [headline, ...processed, encoded, lines, ...text].join('\n');
  },
  isComplete: ({ status }) => status === 'completed',
};

export async function process(texts: readonly string[], options: ProcessOptions, settings: Settings): Promise<number> {
  if (options.wait !== undefined) return await waitForRuns(command, options.wait, options, settings);
  const { chunkDuration, overlapDuration, format } = options;
  const provider = keysOf(options.provider);
  const chapters = options.chapters === undefined ? undefined : 'from_transcript';
  const tasks = planFolderTasks(texts, options, settings, {
    target:
      provider === undefined
        ? `${format ?? defaultProcessingFormat} in chunks`
        : `transcript by ${provider.join(' or ')}`,
    folderSuffix: '-processed',
    names: namesOfProcessing(formatExtension(format ?? defaultProcessingFormat)),
    input: {
      format,
      chunkDuration,
      overlapDuration,
      provider,
      chapters,
      captions: captionsOf(options),
      speakers: options.speakers,
      vocabulary: options.vocabulary,
      translate: options.translate,
    },
  });
  const isLocal = provider?.some(isLocalKey) ?? false;
  const prepare: typeof command.prepare = (stack, say) => prepareTranscriber(stack, settings, say);
  return await runCommand(isLocal ? { ...command, prepare } : command, tasks, options, settings);
}

function keysOf(provider: string[] = [defaultLocalKey]): string[] | undefined {
  if (!provider.includes(noProvider)) return provider;
  if (provider.length === 1) return undefined;
  throw new CliError(`--provider ${noProvider} cannot be combined with another provider.`);
}

/** Delivers transcripts and the answers of chunks. Returns lines for the transcripts and the failed chunks. */
async function deliverTranscripts(
  transcript: ProcessingOutcome['transcript'],
  chunks: readonly ListedChunk[],
  delivery: RunDelivery,
): Promise<string[]> {
  const lines: string[] = [];
  const urls = Object.values(transcript ?? {}).filter((url) => url !== undefined);
  for (const url of urls) lines.push(`  ${await delivery.deliver(fileName(url))}`);
  for (const { index, status } of chunks) {
    if (status === 'completed') await delivery.deliver(fileName(chunkAnswerUrl('', index)));
  }
  const failed = chunks.filter(({ status }) => status === 'failed');
  lines.push(
    ...failed
      .slice(0, maxFailureLines)
      .map(
        ({ index, error, message }) =>
          `  chunk ${index} failed: ${error}${message === undefined ? '' : ` (${message})`}`,
      ),
  );
  if (failed.length > maxFailureLines) lines.push(`  … and ${failed.length - maxFailureLines} more failed`);
  return lines;
}

/** The beginning of the transcript, unless the run has stored it elsewhere. */
async function readText(url: string | undefined, delivery: RunDelivery): Promise<string[]> {
  const path = url === undefined ? undefined : await delivery.stagedPath(fileName(url));
  if (url === undefined || path === undefined) return [];
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  const text = lines.map(printable).join('\n');
  if (text === '') return ['', '(no speech)'];
  const characters = Array.from(text);
  if (characters.length <= maxPrintedCharacters) return ['', text];
  return [
    '',
    `${characters.slice(0, maxPrintedCharacters).join('')}…`,
    `The rest is in ${delivery.placeOf(fileName(url))}.`,
  ];
}

function fileName(url: string): string {
  return basename(URL.canParse(url) ? new URL(url).pathname : url);
}
