import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ChunkList, type ListedChunk } from '../../contract/chunk-list.ts';
import { chunkListName } from '../../contract/chunk-plan.ts';
import type { ChunkingOutcome } from '../../contract/workflow/chunking.ts';
import type { RunDelivery } from './run-delivery.ts';

interface WithChunks {
  chunks?: NonNullable<ChunkingOutcome['chunks']> | undefined;
  chunksUrl?: string | undefined;
}

/** Chunks from the result or, if there are many, from their list file. Undefined if that file is not on this machine. */
export async function readChunks(
  { chunks, chunksUrl }: WithChunks,
  delivery: RunDelivery,
): Promise<ListedChunk[] | undefined> {
  if (chunks !== undefined) {
    return chunks.map(({ url = '', ...chunk }) => ({ ...chunk, file: basename(new URL(url).pathname) }));
  }
  const path = chunksUrl === undefined ? undefined : await delivery.stagedPath(chunkListName);
  return path === undefined ? undefined : ChunkList.parse(JSON.parse(await readFile(path, 'utf8'))).chunks;
}

/** Delivers the list last, so that every file in it exists. */
export async function deliverList({ chunksUrl }: WithChunks, delivery: RunDelivery): Promise<void> {
  if (chunksUrl !== undefined) await delivery.deliver(chunkListName);
}
