import { z } from 'zod';
import { Sha256Hex, SourceFacts } from './encode.ts';
import { maxChunks } from '../chunk-plan.ts';
import { defaultChunkDuration, defaultOverlapDuration } from '../defaults.ts';
import type { PackedList } from '../packed-list.ts';
import { haveOwnTargets, targetIssue } from '../places.ts';
import { checkSourceHeaders, checkUploadHeaders, findUploadHeadersProblem, TransferHeaders } from './headers.ts';
import { SourceIdentity } from './source.ts';
import { ContainerSourceUrl, ContainerUploadUrl } from './url.ts';
import { recordOf } from '../record.ts';
import { JobUsage } from '../usage.ts';

/** seconds */
const ChunkDuration = z.number().min(1).max(86_400);
/** seconds */
const OverlapDuration = z.number().min(0).max(3_600);

export function overlapIsShorter(value: {
  chunkDuration?: number | undefined;
  overlapDuration?: number | undefined;
}): boolean {
  return (value.overlapDuration ?? defaultOverlapDuration) < (value.chunkDuration ?? defaultChunkDuration);
}

/** Whether each `index` counts up from 0; a gap or a repeat would leave a chunk without a destination. */
export function indexesInOrder(chunks: readonly { index: number }[]): boolean {
  return chunks.every((chunk, position) => chunk.index === position);
}

export const overlapIssue = { error: 'must be shorter than chunkDuration', path: ['overlapDuration'] };

/** Destination of each chunk, in order. */
export function chunkUploads<Headers extends z.ZodType<Record<string, unknown>>>(
  url: z.ZodType<string>,
  headers: Headers,
) {
  return z
    .array(z.strictObject({ index: z.number().int().min(0), uploadUrl: url, headers: headers.optional() }))
    .min(1)
    .max(maxChunks)
    .refine(indexesInOrder, { error: 'must be in order, with index 0, 1, 2 …' })
    .refine(haveOwnTargets, targetIssue)
    .superRefine(checkUploadHeaders);
}

/** Fields common to the container's request and the workflows' inputs. */
export const chunkRequestShape = {
  sourceUrl: ContainerSourceUrl,
  headers: TransferHeaders.optional(),
  sourceSha256: Sha256Hex.optional(),
  chunkDuration: ChunkDuration.optional(),
  overlapDuration: OverlapDuration.optional(),
};

/** A chunk that already exists. */
const KeptChunk = z.strictObject({
  start: z.number(),
  duration: z.number(),
  size: z.number().int(),
  sha256: Sha256Hex,
  /** File name in the list. */
  file: z.string(),
});

/** Each chunk is cut or kept. */
const RequestedChunks = z
  .array(
    z
      .strictObject({
        index: z.number().int().min(0),
        uploadUrl: ContainerUploadUrl.optional(),
        headers: TransferHeaders.optional(),
        kept: KeptChunk.optional(),
      })
      .refine(({ uploadUrl, kept }) => (uploadUrl === undefined) !== (kept === undefined), {
        error: 'give either uploadUrl or kept',
        path: ['uploadUrl'],
      }),
  )
  .min(1)
  .max(maxChunks)
  .refine(indexesInOrder, { error: 'must be in order, with index 0, 1, 2 …' })
  .refine(haveOwnTargets, targetIssue)
  .superRefine(checkUploadHeaders);

/** Destination of the chunk list, which is stored as JSON after all chunks. */
const ChunkListRequest = z.strictObject({
  uploadUrl: ContainerUploadUrl,
  headers: TransferHeaders.optional(),
  /** Copied into the list unchanged. */
  about: recordOf(z.string(), z.unknown()).optional(),
});
export type ChunkListRequest = z.infer<typeof ChunkListRequest>;

export const ChunkRequest = z
  .strictObject({
    ...chunkRequestShape,
    chunkDuration: ChunkDuration.default(defaultChunkDuration),
    overlapDuration: OverlapDuration.default(defaultOverlapDuration),
    chunks: RequestedChunks,
    list: ChunkListRequest.optional(),
    /** Required source of the kept chunks; any other is `checksum_mismatch`. */
    sourceIdentity: SourceIdentity.optional(),
    /** The file that the source was encoded from; no chunk may replace it. */
    originalUrl: ContainerSourceUrl.optional(),
  })
  .refine(overlapIsShorter, overlapIssue)
  .refine(({ chunks, list }) => list === undefined || haveOwnTargets([...chunks, list]), {
    error: 'goes to the place of a chunk',
    path: ['list', 'uploadUrl'],
  })
  .superRefine(({ list }, context) => {
    const message = list === undefined ? undefined : findUploadHeadersProblem(list.uploadUrl, list);
    if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['list', 'headers'] });
  })
  .superRefine(checkSourceHeaders);
export type ChunkRequest = z.infer<typeof ChunkRequest>;

export type RequestedChunk = ChunkRequest['chunks'][number];

/** The request as its job keeps it. */
export type PackedChunkRequest = Omit<ChunkRequest, 'chunks'> & { chunks: PackedList<RequestedChunk> };

export const chunkFacts = {
  index: z.number().int(),
  /** seconds from the start of the source */
  start: z.number(),
  /** seconds */
  duration: z.number(),
  /** bytes */
  size: z.number().int(),
  sha256: z.string(),
};

export const Chunk = z.object(chunkFacts);
export type Chunk = z.infer<typeof Chunk>;

export const ChunkResult = z.object({
  success: z.literal(true),
  jobId: z.string(),
  totalChunks: z.number().int(),
  /** seconds of the source */
  totalDuration: z.number(),
  /** Undefined if a list was requested and this one is long (docs/reference/chunks.md). */
  chunks: z.array(Chunk).optional(),
  /** File of the list, if one was requested. */
  list: z.object({ size: z.number().int(), sha256: z.string() }).optional(),
  /** Optional: containers of older versions omit it. */
  source: SourceFacts.optional(),
  identity: SourceIdentity.optional(),
  usage: JobUsage.optional(),
});
export type ChunkResult = z.infer<typeof ChunkResult>;
