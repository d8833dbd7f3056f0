import { z } from 'zod';
import { Track } from './http/audio.ts';
import { chunkFacts } from './http/chunk.ts';
import { EncodedOutput } from './http/output.ts';
import { SourceIdentity } from './http/source.ts';
import { listOf } from './list-of.ts';

export const chunkOutcomeFields = {
  /** A chunk without a `provider` is complete once it is cut. */
  status: z.enum(['completed', 'failed']),
  /** Reason for the failure: `timeout`, `rate_limited`, `unreachable`, `http_400` … */
  error: z.string().optional(),
  /** The reason as a sentence. */
  message: z.string().optional(),
  /** Calls to a provider that count; a throttled call does not. */
  attempts: z.number().int().optional(),
  /** The key that processed the chunk or tried last. */
  provider: z.string().optional(),
};

export const ListedChunk = z.object({
  ...chunkFacts,
  /** Name of the chunk's file, relative to the list. */
  file: z.string().regex(/^(?!\.{1,2}$)[^/\\]+$/),
  ...chunkOutcomeFields,
  /** Undefined until a provider has processed the chunk. */
  status: chunkOutcomeFields.status.optional(),
});
export type ListedChunk = z.infer<typeof ListedChunk>;

export const ChunkList = z.object({
  version: z.literal(1),
  about: z.record(z.string(), z.unknown()).optional(),
  /** The source that the chunks were cut from. */
  identity: SourceIdentity.optional(),
  totalChunks: z.number().int(),
  /** seconds of the source */
  totalDuration: z.number(),
  chunks: listOf(ListedChunk),
});
export type ChunkList = z.infer<typeof ChunkList>;

/** Facts by which a later run recognises its own list. */
export const ChunkListAbout = z.object({
  setId: z.string(),
  /**
   * Source that was encoded for the list. The list's `identity` is the source of chunks that are cut from the source
   * itself.
   */
  source: SourceIdentity.optional(),
  encoded: EncodedOutput.optional(),
  format: z.string().optional(),
  track: Track.optional(),
  chunkDuration: z.number(),
  overlapDuration: z.number(),
  /** ffprobe's name of the codec of the cut file. */
  codec: z.string().optional(),
});
export type ChunkListAbout = z.infer<typeof ChunkListAbout>;
