import { z } from 'zod';
import { chunkFacts } from './http/chunk.ts';
import { EncodedOutput } from './http/output.ts';
import { SourceIdentity } from './http/source.ts';

/** What a provider's processing has made of a chunk. */
export const chunkOutcomeFields = {
  /** A chunk without a `provider` is complete when it is cut. */
  status: z.enum(['completed', 'failed']),
  /** Why it failed: `timeout`, `rate_limited`, `unreachable`, `http_400` … */
  error: z.string().optional(),
  /** The same as a sentence. */
  message: z.string().optional(),
  /** Calls to a provider that count: one that ended in a throttle does not. */
  attempts: z.number().int().optional(),
  /** The key that processed it or tried last. */
  provider: z.string().optional(),
};

export const ListedChunk = z.object({
  ...chunkFacts,
  /** The name of its file, beside the list. */
  file: z.string().regex(/^[^/]+$/),
  ...chunkOutcomeFields,
  /** Missing until a provider has processed it. */
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
  chunks: z.array(ListedChunk),
});
export type ChunkList = z.infer<typeof ChunkList>;

/** What a run writes into its list, to know its own work again. */
export const ChunkListAbout = z.object({
  setId: z.string(),
  /** What was encoded for it; for chunks of the source itself, the list's `identity` is. */
  source: SourceIdentity.optional(),
  encoded: EncodedOutput.optional(),
  format: z.string().optional(),
  chunkDuration: z.number(),
  overlapDuration: z.number(),
  /** ffprobe's name of the codec of the cut file. */
  codec: z.string().optional(),
});
export type ChunkListAbout = z.infer<typeof ChunkListAbout>;
