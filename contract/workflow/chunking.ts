import { z } from 'zod';
import { Chunk, chunkRequestShape, chunkUploads, overlapIsShorter, overlapIssue } from '../http/chunk.ts';
import { checkSourceHeaders } from '../http/headers.ts';
import { checkInputsKept, type TargetPlace } from '../places.ts';
import { namesOfChunks } from '../written-names.ts';
import { UploadUrlPrefix, WorkflowUrl } from '../http/url.ts';
import { commonInputShape, weightHasKey, weightIssue } from './common-input.ts';
import { WorkflowHeaders } from './headers.ts';
import { AttemptCounts } from './retry.ts';

/** The container's request, with `s3:` URLs, or a prefix instead of the chunks' URLs. */
export const ChunkingInput = z
  .strictObject({
    ...chunkRequestShape,
    sourceUrl: WorkflowUrl,
    headers: WorkflowHeaders.optional(),
    uploadUrlPrefix: UploadUrlPrefix.optional(),
    chunks: chunkUploads(WorkflowUrl, WorkflowHeaders).optional(),
    /** Keeps complete chunks of an earlier run with the same source and settings under the same prefix. */
    resume: z.boolean().optional(),
    ...commonInputShape,
  })
  .refine(weightHasKey, weightIssue)
  .refine(overlapIsShorter, overlapIssue)
  .refine((input) => (input.uploadUrlPrefix === undefined) !== (input.chunks === undefined), {
    error: 'give either uploadUrlPrefix or chunks',
    path: ['uploadUrlPrefix'],
  })
  .refine(({ resume, uploadUrlPrefix }) => resume !== true || uploadUrlPrefix !== undefined, {
    error: 'needs uploadUrlPrefix, under which it looks',
    path: ['resume'],
  })
  .superRefine(checkSourceHeaders)
  .superRefine(({ sourceUrl, uploadUrlPrefix, chunks = [] }, context) => {
    const prefix = uploadUrlPrefix === undefined ? [] : [uploadUrlPrefix];
    const targets: TargetPlace[] = [
      ...prefix.map((url) => ({ path: ['uploadUrlPrefix'], url, names: namesOfChunks })),
      ...chunks.map(({ uploadUrl: url }, index) => ({ path: ['chunks', index, 'uploadUrl'], url })),
    ];
    checkInputsKept([{ field: 'sourceUrl', url: sourceUrl }], targets, context);
  });
export type ChunkingInput = z.infer<typeof ChunkingInput>;

export const ChunkingOutcome = AttemptCounts.extend({
  totalChunks: z.number().int(),
  /** seconds of the source */
  totalDuration: z.number(),
  /** `url` is set if `uploadUrlPrefix` was given; the file extension depends on the source. */
  chunks: z.array(Chunk.extend({ url: z.string().optional() })).optional(),
  /** URL of the chunk list, if `uploadUrlPrefix` was given. The result repeats the list unless it is too long. */
  chunksUrl: z.string().optional(),
});
export type ChunkingOutcome = z.infer<typeof ChunkingOutcome>;
