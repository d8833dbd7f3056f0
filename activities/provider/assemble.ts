import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import pMap from 'p-map';
import type { ChunkList, ListedChunk } from '../../contract/chunk-list.ts';
import { chunkAnswerUrl, chunkListName } from '../../contract/chunk-plan.ts';
import { ungroupItems } from '../../contract/index-ranges.ts';
import type { AssembleRequest, TranscriptUrls } from '../../contract/provider-call.ts';
import { readChunkList } from '../chunk-list.ts';
import { maxAnswerFileBytes, parseChunkAnswer } from './answer.ts';
import type { Storage } from '../storage/storage.ts';
import { StorageError } from '../../stores/store-error.ts';
import { toSrt, toVtt } from './subtitles.ts';
import { chaptersOfTranscript } from './transcript-chapters.ts';
import { buildTranscript, type TranscribedChunk } from './transcript.ts';

const chaptersName = 'chapters.json';

/** Concurrent reads; each answer is held in memory. */
const readsAtOnce = 4;

/**
 * Adds the outcomes to the chunk list and combines the stored answers into one transcript in three formats under the
 * same prefix. If no chunk has an answer, there is no transcript.
 */
export function assembleActivity({ storage }: { storage: Storage }) {
  return async function assembleTranscript(request: AssembleRequest): Promise<TranscriptUrls | undefined> {
    const signal = cancellationSignal();
    const { uploadUrlPrefix: prefix } = request;
    try {
      const list = withOutcomes(request.list ?? (await readChunkList(prefix, storage, signal)), request.outcomes);
      const transcript = await writeTranscript(list.chunks, request, storage, signal);
      await storage.write(`${prefix}${chunkListName}`, JSON.stringify(list), 'application/json', signal);
      return transcript;
    } catch (error) {
      if (!(error instanceof StorageError) || signal.aborted) throw error;
      // The activity's retry policy retries passing errors.
      const [type, nonRetryable] = ['TranscriptNotStored', !error.passing];
      throw ApplicationFailure.create({ message: error.message, type, nonRetryable, category: 'BENIGN' });
    }
  };
}

function withOutcomes(list: ChunkList, outcomes: AssembleRequest['outcomes']): ChunkList {
  const outcomeOf = ungroupItems(outcomes);
  const chunks = list.chunks.map((chunk) => {
    const { error: _, message: __, attempts: ___, provider: ____, ...cut } = chunk;
    return { ...cut, ...outcomeOf[chunk.index] };
  });
  return { ...list, chunks };
}

async function writeTranscript(
  chunks: readonly ListedChunk[],
  { uploadUrlPrefix: prefix, pauses }: AssembleRequest,
  storage: Storage,
  signal: AbortSignal,
): Promise<TranscriptUrls | undefined> {
  if (!chunks.some(({ status }) => status === 'completed')) return undefined;
  const transcribed = await pMap(chunks, (chunk) => readSegments(chunk, prefix, storage, signal), {
    concurrency: readsAtOnce,
    signal,
  });
  const transcript = buildTranscript(transcribed);
  const files: [string, string, string][] = [
    ['transcript.json', JSON.stringify(transcript, undefined, 1), 'application/json'],
    ['transcript.vtt', toVtt(transcript.segments), 'text/vtt; charset=utf-8'],
    ['transcript.srt', toSrt(transcript.segments), 'application/x-subrip; charset=utf-8'],
  ];
  if (pauses !== undefined) {
    const chapters = chaptersOfTranscript(transcript.segments, pauses);
    files.push([
      chaptersName,
      JSON.stringify({ version: '1.2.0', chapters }, undefined, 1),
      'application/json+chapters',
    ]);
  }
  for (const [name, text, type] of files) {
    await storage.write(await storage.placeFor(`${prefix}${name}`), text, type, signal);
    heartbeat();
  }
  return {
    json: `${prefix}transcript.json`,
    vtt: `${prefix}transcript.vtt`,
    srt: `${prefix}transcript.srt`,
    ...(pauses !== undefined && { chapters: `${prefix}${chaptersName}` }),
  };
}

async function readSegments(
  { index, start, duration, status, error = 'failed' }: ListedChunk,
  prefix: string,
  storage: Storage,
  signal: AbortSignal,
): Promise<TranscribedChunk> {
  if (status !== 'completed') return { index, start, duration, segments: undefined, error };
  const answerUrl = chunkAnswerUrl(prefix, index);
  const text = await storage.readText(answerUrl, maxAnswerFileBytes, signal);
  heartbeat();
  return { index, start, duration, segments: parseChunkAnswer(text, answerUrl).segments };
}
