import { z } from 'zod';
import { Sha256Hex, SourceFacts } from './encode.ts';
import { maxChunks } from '../chunk-plan.ts';
import { defaultChunkDuration, defaultOverlapDuration } from '../defaults.ts';
import { haveOwnTargets, targetIssue } from '../signed-url.ts';
import { checkSourceHeaders, checkUploadHeaders, TransferHeaders } from './headers.ts';
import { ContainerUrl } from './url.ts';

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

/** `index` counts from 0 in order; a gap or a repeat would leave a chunk without a place to go. */
export function indexesInOrder(chunks: readonly { index: number }[]): boolean {
  return chunks.every((chunk, position) => chunk.index === position);
}

export const overlapIssue = { error: 'must be shorter than chunkDuration', path: ['overlapDuration'] };

/** Where each chunk goes, in order. */
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

/** What the container's request and the workflows' inputs have in common. */
export const chunkRequestShape = {
  sourceUrl: ContainerUrl,
  headers: TransferHeaders.optional(),
  sourceSha256: Sha256Hex.optional(),
  chunkDuration: ChunkDuration.optional(),
  overlapDuration: OverlapDuration.optional(),
};

export const ChunkRequest = z
  .strictObject({
    ...chunkRequestShape,
    chunkDuration: ChunkDuration.default(defaultChunkDuration),
    overlapDuration: OverlapDuration.default(defaultOverlapDuration),
    chunks: chunkUploads(ContainerUrl, TransferHeaders),
  })
  .refine(overlapIsShorter, overlapIssue)
  .superRefine(checkSourceHeaders);
export type ChunkRequest = z.infer<typeof ChunkRequest>;

export const Chunk = z.object({
  index: z.number().int(),
  /** seconds from the start of the source */
  start: z.number(),
  /** seconds */
  duration: z.number(),
  /** bytes */
  size: z.number().int(),
  sha256: z.string(),
});
export type Chunk = z.infer<typeof Chunk>;

export const ChunkResult = z.object({
  success: z.literal(true),
  jobId: z.string(),
  totalChunks: z.number().int(),
  /** seconds of the source */
  totalDuration: z.number(),
  chunks: z.array(Chunk),
  /** Optional, so that a worker understands containers of other versions. */
  source: SourceFacts.optional(),
});
export type ChunkResult = z.infer<typeof ChunkResult>;
