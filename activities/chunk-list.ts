import { ChunkList } from '../contract/chunk-list.ts';
import { chunkListName } from '../contract/chunk-plan.ts';
import { parseBoundedJson } from './bounded-json.ts';
import type { Storage } from './storage/storage.ts';
import { UnusableFile } from '../stores/store-error.ts';

/** Room for 10,000 chunks with a long message each. */
const maxListBytes = 32 * 1024 * 1024;

/** Undefined if there is no list that Holdfast wrote. */
export async function findChunkList(
  prefix: string,
  storage: Storage,
  signal: AbortSignal,
): Promise<ChunkList | undefined> {
  try {
    return await readChunkList(prefix, storage, signal);
  } catch (error) {
    if (error instanceof UnusableFile) return undefined;
    throw error;
  }
}

export async function readChunkList(prefix: string, storage: Storage, signal: AbortSignal): Promise<ChunkList> {
  const text = await storage.readText(`${prefix}${chunkListName}`, maxListBytes, signal);
  try {
    return ChunkList.parse(parseBoundedJson(text));
  } catch (error) {
    throw new UnusableFile(`${chunkListName} is not a chunk list written by Holdfast`, { cause: error });
  }
}
