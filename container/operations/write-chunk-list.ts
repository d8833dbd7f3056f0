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
import type { DeliverableFile } from '../transfer/delivery.ts';
import { digestFile } from '../transfer/digest.ts';

/** Writes the list of all chunks, to be stored after them. The answer contains the chunks unless there are too many. */
export async function writeChunkList(
  { chunks = [], ...result }: ChunkResult,
  { uploadUrl, headers, about }: ChunkListRequest,
  targets: PackedChunkRequest['chunks'],
  job: Pick<JobContext, 'folder' | 'signal'>,
): Promise<{ result: ChunkResult; file: DeliverableFile }> {
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
  const { size, sha256 } = digest;
  return {
    result: {
      ...result,
      ...(jsonBytes(chunks) <= maxInlineListBytes && { chunks }),
      list: { size, sha256 },
    },
    file: {
      path,
      target: singleTarget({ uploadUrl, headers }),
      contentType: 'application/json',
      digest,
      output: totalChunks,
      name: '',
      group: 0,
    },
  };
}

function fileOf({ uploadUrl, kept }: Partial<RequestedChunk> = {}): string {
  return kept?.file ?? fileName(uploadUrl);
}

/** Name of the file in the path of a URL, without the signature. */
function fileName(uploadUrl = ''): string {
  return decodedPart(basename(new URL(uploadUrl).pathname));
}
