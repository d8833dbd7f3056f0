import { createHash } from 'node:crypto';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import pMap from 'p-map';
import { canonicalTrack } from '../contract/captioned-tracks.ts';
import { ChunkListAbout, type ListedChunk } from '../contract/chunk-list.ts';
import { chunkAnswerUrl, maxInlineListBytes } from '../contract/chunk-plan.ts';
import type { ChunkSettings, EarlierChunks, FindEarlierRequest } from '../contract/earlier-chunks.ts';
import { formatExtension } from '../contract/formats.ts';
import { formatIndexes, groupItems } from '../contract/index-ranges.ts';
import { jsonBytes } from '../contract/payload-size.ts';
import { findChunkList } from './chunk-list.ts';
import { storageFailure } from './final-failure.ts';
import { maxAnswerFileBytes, parseChunkAnswer, voicesOf } from './provider/answer.ts';
import type { Storage } from './storage/storage.ts';
import { StorageError, UnusableFile } from '../stores/store-error.ts';

/** Concurrent reads; most of the time is spent waiting for the store. */
const readsAtOnce = 8;

/** Finds and verifies what an earlier run left under a prefix; damaged files count as missing. */
export function findEarlierActivity({ storage }: { storage: Storage }) {
  return async function findEarlierChunks(request: FindEarlierRequest): Promise<EarlierChunks | undefined> {
    const signal = cancellationSignal();
    try {
      return await findEarlier(request, storage, signal);
    } catch (error) {
      if (!(error instanceof StorageError) || signal.aborted) throw error;
      throw storageFailure('EarlierChunksNotRead', error);
    }
  };
}

async function findEarlier(
  request: FindEarlierRequest,
  storage: Storage,
  signal: AbortSignal,
): Promise<EarlierChunks | undefined> {
  const { uploadUrlPrefix: prefix, format, providers } = request;
  const list = await findChunkList(prefix, storage, signal);
  if (list === undefined) return undefined;
  const about = ChunkListAbout.safeParse(list.about).data;
  if (about === undefined || !haveSameSettings(about, request)) return undefined;
  const source = about.source ?? list.identity;
  if (source === undefined) return undefined;
  const { setId, encoded } = about;

  const isWhole = async (url: string, expected: { size: number; sha256?: string | undefined }): Promise<boolean> => {
    const digest = await ifStored(async () => {
      const { size, content } = await storage.read(url, signal);
      // The content must be closed, or its connection would stay open.
      if (size !== expected.size) for await (const _ of content) break;
      return size === expected.size ? await sha256Of(content, signal) : undefined;
    });
    return digest !== undefined && digest === expected.sha256;
  };
  const answerTo = async ({ index, attempts = 1 }: ListedChunk) => {
    const answer = await ifStored(async () => {
      const url = chunkAnswerUrl(prefix, index);
      return parseChunkAnswer(await storage.readText(url, maxAnswerFileBytes, signal), url);
    });
    if (answer === undefined || answer.setId !== setId || !providers.includes(answer.provider)) return undefined;
    if (answer.translated !== request.translate) return undefined;
    if (request.voices === true && voicesOf(answer) === undefined) return undefined;
    return { attempts, provider: answer.provider };
  };
  const forEachChunk = async <Result>(look: (chunk: ListedChunk) => Promise<Result>): Promise<Result[]> =>
    await pMap(list.chunks, async (chunk) => await look(chunk).finally(() => heartbeat()), {
      concurrency: readsAtOnce,
      signal,
    });

  const hasEncoded =
    encoded !== undefined && (await isWhole(`${prefix}encoded.${formatExtension(format ?? '')}`, encoded));
  const whole = await forEachChunk(async ({ file, ...facts }) => await isWhole(prefix + file, facts));
  const answers = providers.length === 0 ? [] : await forEachChunk(answerTo);
  return {
    setId,
    source,
    totalChunks: list.totalChunks,
    totalDuration: list.totalDuration,
    ...(hasEncoded && { encoded }),
    whole: formatIndexes(list.chunks.filter((_, position) => whole[position]).map(({ index }) => index)),
    answered: groupItems(answers).flatMap(({ item, indexes }) => (item === undefined ? [] : [{ item, indexes }])),
    ...(jsonBytes(list.chunks) <= maxInlineListBytes && { list }),
  };
}

/** Undefined if the file is missing or damaged. Other errors do not prove that the work must be repeated and paid again. */
async function ifStored<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnusableFile) return undefined;
    throw error;
  }
}

async function sha256Of(content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const part of content) {
      hash.update(part);
      // One file may take longer than the heartbeat timeout. The SDK throttles heartbeats.
      heartbeat();
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new StorageError('Reading a file failed before its end', true, { cause: error });
  }
  return hash.digest('hex');
}

function haveSameSettings(one: ChunkSettings, other: ChunkSettings): boolean {
  return (
    one.chunkDuration === other.chunkDuration &&
    one.overlapDuration === other.overlapDuration &&
    one.format === other.format &&
    canonicalTrack(one.track) === canonicalTrack(other.track)
  );
}
