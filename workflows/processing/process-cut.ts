import { log, patched } from '@temporalio/workflow';
import type { ChunkList } from '../../contract/chunk-list.ts';
import { chunkAnswerUrl, chunkListName, chunkUrl, maxInlineListBytes, placeChunks } from '../../contract/chunk-plan.ts';
import { groupItems } from '../../contract/index-ranges.ts';
import { jsonBytes } from '../../contract/payload-size.ts';
import type { ProviderPolicy } from '../../contract/provider.ts';
import type { AssembledTranscript, AssembleRequest, ProviderCall } from '../../contract/provider-call.ts';
import type { ProcessingInput, ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { describeShortfall } from '../../contract/workflow/shortfall.ts';
import { ChunkProcessing, type ChunkToProcess, type ProcessingState } from '../chunks/process-chunks.ts';
import { assembleTranscript } from '../proxies.ts';
import type { Run } from '../run/run.ts';
import { encodedCodec, type CutRequest, type CutResult } from './cut-source.ts';
import { chunkOutcome, countCompleted, outcomeStatus } from './outcome.ts';

type Processed = Pick<ProcessingOutcome, 'status' | 'failedChunks' | 'chunks' | 'chunksUrl' | 'transcript' | 'cues'>;

export async function processCut(
  cut: CutResult,
  request: Omit<CutRequest, 'shares'>,
  policies: ProviderPolicy[],
  state: ProcessingState,
  run: Run,
  continueAsNew: (state: ProcessingState) => Promise<never>,
): Promise<Processed> {
  const { uploadUrlPrefix } = request.input;
  const processing = new ChunkProcessing(chunksToProcess(cut, request), policies, run, state);
  const tasks = await processing.run(continueAsNew);
  const outcomes = Array.from({ length: chunkCount(cut) }, (_, index) => chunkOutcome(index, tasks[index]));
  const status = outcomeStatus(outcomes);
  const stored: AssembleRequest = {
    uploadUrlPrefix,
    ...listOf(cut, request),
    ...(cut.about !== undefined && { setId: cut.about.setId }),
    outcomes: groupItems(outcomes),
    ...(request.input.chapters !== undefined && { pauses: cut.encoded.chapterStarts ?? [] }),
    ...(request.input.captions !== undefined && { captions: request.input.captions }),
    ...(request.input.speakers !== undefined && { speakers: request.input.speakers }),
    ...(request.input.translate === true && { translate: true }),
  };
  let assembled: AssembledTranscript | undefined;
  // Older versions skipped this activity when no chunk had succeeded.
  if (status !== 'failed' || patched('list-tells-outcomes')) {
    run.status.startAssembly();
    assembled = (await assembleTranscript(stored)) ?? undefined;
  }
  const failedChunks = outcomes.length - countCompleted(outcomes);
  run.shortfall = describeShortfall({ failedChunks, totalChunks: outcomes.length, chunks: outcomes });
  log.info(`Processed ${countCompleted(outcomes)} of ${outcomes.length} chunks`, { status, failedChunks });
  const chunks = cut.chunks?.map((chunk, index) => ({ ...chunk, ...chunkOutcome(index, tasks[index]) }));
  return {
    status,
    failedChunks,
    chunksUrl: `${uploadUrlPrefix}${chunkListName}`,
    ...(chunks !== undefined && jsonBytes(chunks) <= maxInlineListBytes && { chunks }),
    ...(assembled !== undefined && outcomeOf(assembled)),
  };
}

function outcomeOf({ cues, ...transcript }: AssembledTranscript): Pick<Processed, 'transcript' | 'cues'> {
  return { transcript, ...(cues !== undefined && { cues }) };
}

export function chunkCount({ totalChunks, chunks = [] }: CutResult): number {
  return totalChunks ?? chunks.length;
}

/** What the provider's answers must contain. Speakers are distinguished by the voices in them. */
export function needsOf({ speakers, translate }: ProcessingInput): Pick<ProviderCall, 'voices' | 'translate'> {
  return { ...(speakers !== undefined && { voices: true }), ...(translate === true && { translate }) };
}

/** Long chunk lists are not in the history: the plan then yields what each call needs. */
function chunksToProcess(
  { chunks, totalChunks = 0, totalDuration = 0, about }: CutResult,
  { input, format, chunkDuration, overlapDuration }: Omit<CutRequest, 'shares'>,
): ChunkToProcess[] {
  const { uploadUrlPrefix: prefix, vocabulary } = input;
  const codec = encodedCodec(format) ?? '';
  const places: readonly Pick<ChunkToProcess, 'index' | 'url' | 'duration' | 'size' | 'sha256'>[] =
    chunks ??
    placeChunks(totalChunks, totalDuration, chunkDuration, overlapDuration).map(({ index, duration }) => ({
      index,
      duration,
      url: chunkUrl(prefix, index, codec),
    }));
  return places.map(({ index, url, duration, size, sha256 }) => ({
    index,
    url,
    duration,
    ...(size !== undefined && { size }),
    ...(sha256 !== undefined && { sha256 }),
    answerUrl: chunkAnswerUrl(prefix, index),
    ...(about !== undefined && { setId: about.setId }),
    ...needsOf(input),
    ...(vocabulary !== undefined && { vocabulary }),
  }));
}

function listOf(
  { chunks, totalDuration = 0, about }: CutResult,
  { chunkDuration, overlapDuration }: Omit<CutRequest, 'shares'>,
): { list?: ChunkList } {
  if (chunks === undefined) return {};
  const listed = chunks.map(({ url, ...chunk }) => ({ ...chunk, file: url.slice(url.lastIndexOf('/') + 1) }));
  const facts = { totalChunks: listed.length, totalDuration, chunks: listed };
  return {
    list: { version: 1, ...(about !== undefined && { about: { ...about, chunkDuration, overlapDuration } }), ...facts },
  };
}
