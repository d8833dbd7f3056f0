import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { setImmediate } from 'node:timers/promises';
import pMap from 'p-map';
import { type ChunkList, ChunkListAbout, type ListedChunk } from '../../contract/chunk-list.ts';
import { chunkAnswerUrl, chunkListName } from '../../contract/chunk-plan.ts';
import { transcriptUrls } from '../../contract/written-names.ts';
import { ungroupItems } from '../../contract/index-ranges.ts';
import type { AssembledTranscript, AssembleRequest } from '../../contract/provider-call.ts';
import { findChunkList, readChunkList } from '../chunk-list.ts';
import { storageFailure } from '../final-failure.ts';
import { maxAnswerFileBytes, parseChunkAnswer, speechOf, voicesOf } from './answer.ts';
import type { Storage } from '../storage/storage.ts';
import { fileNameOf } from '../../stores/signed-http.ts';
import { StorageError } from '../../stores/store-error.ts';
import { CaptionStyle } from '../../contract/captions.ts';
import { transcriptFiles } from '../../contract/transcript/transcript-files.ts';
import { chaptersOfTranscript } from '../transcript/transcript-chapters.ts';
import { buildTranscript, type TranscribedChunk } from '../transcript/transcript.ts';

const chaptersName = 'chapters.json';

/** Concurrent reads; each answer is held in memory. */
const readsAtOnce = 4;

/**
 * Adds the outcomes to the chunk list and combines the stored answers into one transcript in all formats under the same
 * prefix. If no chunk has an answer, there is no transcript.
 */
export function assembleActivity({ storage }: { storage: Storage }) {
  return async function assembleTranscript(request: AssembleRequest): Promise<AssembledTranscript | undefined> {
    const signal = cancellationSignal();
    const { uploadUrlPrefix: prefix } = request;
    try {
      const list = withOutcomes(await readOwnList(request, storage, signal), request.outcomes);
      const transcript = await writeTranscript(list.chunks, request, storage, signal);
      await storage.write(`${prefix}${chunkListName}`, JSON.stringify(list), 'application/json', signal);
      return transcript;
    } catch (error) {
      if (!(error instanceof StorageError) || signal.aborted) throw error;
      throw storageFailure('TranscriptNotStored', error);
    }
  };
}

/** Throws if the stored list belongs to another run, whose chunks have replaced the chunks of this run. */
async function readOwnList(
  { list, setId, uploadUrlPrefix: prefix }: AssembleRequest,
  storage: Storage,
  signal: AbortSignal,
): Promise<ChunkList> {
  const setIdOf = ({ about }: Partial<ChunkList> = {}) => ChunkListAbout.safeParse(about).data?.setId;
  if (list !== undefined) {
    const found = await findChunkList(prefix, storage, signal);
    assertOwnSet(chunkListName, setIdOf(found), setId);
    // A run that resumes the result of another one does not know the facts by which a third one would resume both.
    return found !== undefined && haveSameChunks(list, found) ? { ...found, chunks: list.chunks } : list;
  }
  const stored = await readChunkList(prefix, storage, signal);
  assertOwnSet(chunkListName, setIdOf(stored), setId);
  return stored;
}

function haveSameChunks(one: ChunkList, other: ChunkList): boolean {
  const chunksOf = ({ chunks }: ChunkList) =>
    JSON.stringify(chunks.map(({ file, size, sha256 }) => [file, size, sha256]));
  return chunksOf(one) === chunksOf(other);
}

/** Files of older versions have no id. */
function assertOwnSet(name: string, found: string | undefined, own: string | undefined): void {
  if (found === undefined || own === undefined || found === own) return;
  const advice = 'Give each run a prefix of its own, and start this run again with "resume"';
  throw new StorageError(`${name} belongs to another run, which uses the same prefix. ${advice}`, false);
}

/** A run that resumes the result of another run does not repeat the answers of its completed chunks. */
function assertSameLanguage(name: string, found: true | undefined, own: true | undefined): void {
  if (found === own) return;
  const what =
    own === true ? 'is not translated, but this run translates' : 'is translated, but this run does not translate';
  throw new StorageError(`${name} ${what}. Start this run again with "resume": true`, false);
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
  request: AssembleRequest,
  storage: Storage,
  signal: AbortSignal,
): Promise<AssembledTranscript | undefined> {
  if (!chunks.some(({ status }) => status === 'completed')) return undefined;
  const { uploadUrlPrefix: prefix, pauses, captions, speakers } = request;
  const transcribed = await pMap(chunks, (chunk) => readSegments(chunk, request, storage, signal), {
    concurrency: readsAtOnce,
    signal,
  });
  const { transcript, words } = buildTranscript(transcribed, speakers);
  // Each of the two calls takes seconds for a recording of a day. In between the worker serves its other tasks.
  await setImmediate();
  const { files, cues } = transcriptFiles(transcript, words, CaptionStyle.parse(captions ?? {}));
  const write = async (name: string, text: string, type: string): Promise<void> => {
    await storage.write(await storage.placeFor(`${prefix}${name}`), text, type, signal);
    heartbeat();
  };
  for (const { name, text, contentType } of files) await write(name, text, contentType);
  if (pauses !== undefined) {
    const chapters = chaptersOfTranscript(transcript.segments, pauses);
    await write(
      chaptersName,
      JSON.stringify({ version: '1.2.0', chapters }, undefined, 1),
      'application/json+chapters',
    );
  }
  return {
    ...transcriptUrls(prefix),
    cues,
    ...(pauses !== undefined && { chapters: `${prefix}${chaptersName}` }),
  };
}

async function readSegments(
  { index, start, duration, status, error = 'failed' }: ListedChunk,
  { uploadUrlPrefix: prefix, setId, speakers, translate }: AssembleRequest,
  storage: Storage,
  signal: AbortSignal,
): Promise<TranscribedChunk> {
  if (status !== 'completed') return { index, start, duration, segments: undefined, error };
  const answerUrl = chunkAnswerUrl(prefix, index);
  const text = await storage.readText(answerUrl, maxAnswerFileBytes, signal);
  heartbeat();
  const answer = parseChunkAnswer(text, answerUrl);
  const { segments, words, language } = answer;
  assertOwnSet(fileNameOf(answerUrl), answer.setId, setId);
  assertSameLanguage(fileNameOf(answerUrl), answer.translated, translate);
  return {
    index,
    start,
    duration,
    segments,
    words,
    language,
    speech: speechOf(answer),
    ...(speakers !== undefined && { voices: voicesOf(answer) }),
  };
}
