import { ChunkList } from '../contract/chunk-list.ts';
import { chunkListName } from '../contract/chunk-plan.ts';
import type { Storage } from './storage/storage.ts';
import { UnusableFile } from './storage/storage-error.ts';

/** Of 10,000 chunks, with a long message each. */
const maxListBytes = 32 * 1024 * 1024;

/** The list of the chunks under a prefix. */
export async function readChunkList(prefix: string, storage: Storage, signal: AbortSignal): Promise<ChunkList> {
  const text = await storage.readText(`${prefix}${chunkListName}`, maxListBytes, signal);
  try {
    return ChunkList.parse(JSON.parse(text));
  } catch (error) {
    throw new UnusableFile(`${chunkListName} is not a list of chunks that we wrote`, { cause: error });
  }
}
