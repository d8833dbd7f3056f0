import { createHash } from 'node:crypto';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import pMap from 'p-map';
import { ChunkListAbout, type ListedChunk } from '../contract/chunk-list.ts';
import { chunkAnswerUrl, maxInlineListBytes } from '../contract/chunk-plan.ts';
import type { ChunkSettings, EarlierChunks, FindEarlierRequest } from '../contract/earlier-chunks.ts';
import { formatExtension } from '../contract/formats.ts';
import { formatIndexes, type ItemGroup } from '../contract/index-ranges.ts';
import { jsonBytes } from '../contract/payload-size.ts';
import { findChunkList } from './chunk-list.ts';
import { maxAnswerFileBytes, parseChunkAnswer } from './provider/answer.ts';
import type { Storage } from './storage/storage.ts';
import { StorageError, UnusableFile } from './storage/storage-error.ts';

/** Concurrent reads; most of the time is spent waiting for the store. */
const readsAtOnce = 8;

/** Finds and verifies what an earlier run left under a prefix; damaged files count as missing. */
export function findEarlierActivity({ storage }: { storage: Storage }) {
  return async function findEarlierChunks(request: FindEarlierRequest): Promise<EarlierChunks | undefined> {
    const signal = cancellationSignal();
    if (!storage.sees(request.uploadUrlPrefix)) {
      throw failure('resume needs a worker that can read the files under the prefix: set MEDIA_ROOT for it', true);
    }
    try {
      return await new EarlierFiles(request, storage, signal).find();
    } catch (error) {
      if (!(error instanceof StorageError) || signal.aborted) throw error;
      throw failure(error.message, !error.passing);
    }
  };
}

function failure(message: string, nonRetryable: boolean): ApplicationFailure {
  return ApplicationFailure.create({ type: 'EarlierChunksNotRead', message, nonRetryable, category: 'BENIGN' });
}

class EarlierFiles {
  readonly #request: FindEarlierRequest;
  readonly #storage: Storage;
  readonly #signal: AbortSignal;

  constructor(request: FindEarlierRequest, storage: Storage, signal: AbortSignal) {
    [this.#request, this.#storage, this.#signal] = [request, storage, signal];
  }

  async find(): Promise<EarlierChunks | undefined> {
    const { uploadUrlPrefix: prefix, format, providers } = this.#request;
    const list = await findChunkList(prefix, this.#storage, this.#signal);
    if (list === undefined) return undefined;
    const about = ChunkListAbout.safeParse(list.about).data;
    if (about === undefined || !haveSameSettings(about, this.#request)) return undefined;
    const source = about.source ?? list.identity;
    if (source === undefined) return undefined;
    const { setId, encoded } = about;
    const hasEncoded =
      encoded !== undefined && (await this.#isWhole(`${prefix}encoded.${formatExtension(format ?? '')}`, encoded));
    const whole = await this.#each(list.chunks, async ({ file, ...facts }) => this.#isWhole(prefix + file, facts));
    const answers =
      providers.length === 0 ? [] : await this.#each(list.chunks, (chunk) => this.#answerTo(chunk, setId));
    return {
      setId,
      source,
      totalChunks: list.totalChunks,
      totalDuration: list.totalDuration,
      ...(hasEncoded && { encoded }),
      whole: formatIndexes(list.chunks.filter((_, position) => whole[position]).map(({ index }) => index)),
      answered: groupAnswers(answers),
      ...(jsonBytes(list.chunks) <= maxInlineListBytes && { list }),
    };
  }

  async #each<Result>(
    chunks: readonly ListedChunk[],
    look: (chunk: ListedChunk) => Promise<Result>,
  ): Promise<Result[]> {
    return await pMap(
      chunks,
      async (chunk) => {
        const result = await look(chunk);
        heartbeat();
        return result;
      },
      { concurrency: readsAtOnce, signal: this.#signal },
    );
  }

  async #isWhole(url: string, expected: { size: number; sha256?: string | undefined }): Promise<boolean> {
    const digest = await this.#ifStored(async () => {
      const { size, content } = await this.#storage.read(url, this.#signal);
      // The content must be closed, or its connection would stay open.
      if (size !== expected.size) for await (const _ of content) break;
      return size === expected.size ? await sha256Of(content, this.#signal) : undefined;
    });
    return digest !== undefined && digest === expected.sha256;
  }

  async #answerTo({ index, attempts = 1 }: ListedChunk, setId: string) {
    const { uploadUrlPrefix, providers } = this.#request;
    const answer = await this.#ifStored(async () => {
      const url = chunkAnswerUrl(uploadUrlPrefix, index);
      return parseChunkAnswer(await this.#storage.readText(url, maxAnswerFileBytes, this.#signal), url);
    });
    if (answer === undefined || answer.setId !== setId || !providers.includes(answer.provider)) return undefined;
    return { attempts, provider: answer.provider };
  }

  /** Undefined if the file is missing or damaged. Other errors do not prove that the work must be repeated and paid again. */
  async #ifStored<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof UnusableFile) return undefined;
      throw error;
    }
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
    one.format === other.format
  );
}

function groupAnswers<Answer>(answers: readonly (Answer | undefined)[]): ItemGroup<Answer>[] {
  const groups = Map.groupBy(answers.keys(), (index) => JSON.stringify(answers[index]));
  return [...groups.values()].flatMap((indexes) => {
    const item = answers[indexes[0] ?? 0];
    return item === undefined ? [] : [{ item, indexes: formatIndexes(indexes) }];
  });
}
