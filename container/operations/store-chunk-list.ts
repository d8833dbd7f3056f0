import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ChunkList, ListedChunk } from '../../contract/chunk-list.ts';
import { maxInlineListBytes } from '../../contract/chunk-plan.ts';
import type { ChunkListRequest, ChunkResult, PackedChunkRequest, RequestedChunk } from '../../contract/http/chunk.ts';
import { packedItem } from '../../contract/packed-list.ts';
import { jsonBytes } from '../../contract/payload-size.ts';
import { decodedPart } from '../../contract/url-part.ts';
import type { JobContext } from '../jobs/job.ts';
import { singleTarget } from '../transfer/delivery-target.ts';
import { digestFile } from '../transfer/digest.ts';
import type { KeptInputs } from '../transfer/kept-inputs.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';

/** Stores the list of all chunks, which are stored by now. The answer contains the chunks unless there are too many. */
export async function storeChunkList(
  { chunks = [], ...result }: ChunkResult,
  { uploadUrl, headers, about }: ChunkListRequest,
  targets: PackedChunkRequest['chunks'],
  { transfer, kept }: { transfer: Pick<MediaTransfer, 'uploadAll'>; kept: KeptInputs },
  job: JobContext,
): Promise<ChunkResult> {
  const { totalChunks, totalDuration, identity } = result;
  const listed = chunks.map((chunk): ListedChunk => ({ ...chunk, file: fileOf(packedItem(targets, chunk.index)) }));
  const list: ChunkList = {
    version: 1,
    ...(about && { about }),
    ...(identity && { identity }),
    totalChunks,
    totalDuration,
    chunks: listed,
  };
  const path = join(job.folder, 'list');
  await writeFile(path, JSON.stringify(list));
  const digest = await digestFile(path, job.signal, () => {});
  const file = { path, target: singleTarget({ uploadUrl, headers }), contentType: 'application/json', digest };
  await transfer.uploadAll([{ ...file, output: targets.ends.length, name: '' }], kept, job);
  const { size, sha256 } = digest;
  return {
    ...result,
    ...(jsonBytes(chunks) <= maxInlineListBytes && { chunks }),
    list: { size, sha256 },
  };
}

function fileOf({ uploadUrl, kept }: Partial<RequestedChunk> = {}): string {
  return kept?.file ?? fileName(uploadUrl);
}

/** Name of the file in the path of a URL, without the signature. */
function fileName(uploadUrl = ''): string {
  return decodedPart(basename(new URL(uploadUrl).pathname));
}
