import { z } from 'zod';
import { unprintable } from '../workflow/owner-name.ts';

/** seconds from the start of the source */
const times = { start: z.number().min(0), end: z.number().min(0) };

/** `S1`, `S2` in the order of appearance, or a name that somebody gave. */
const speaker = z
  .string()
  .regex(new RegExp(`^[^${unprintable}]{1,100}$`, 'u'), 'must have 1 to 100 characters on one line')
  .exactOptional();

export const TranscriptWord = z.object({
  text: z.string().max(1_000),
  ...times,
  confidence: z.number().min(0).max(1).exactOptional(),
  speaker,
});
export type TranscriptWord = z.infer<typeof TranscriptWord>;

export const TranscriptSegment = z.object({
  id: z.number().int(),
  ...times,
  /** Providers without times answer one segment for a chunk, which may be hours long. */
  text: z.string().max(100_000),
  /** Index of the chunk that the segment is from. */
  chunk: z.number().int(),
  speaker,
  /** Missing if the provider reports no times of words. */
  words: z.array(TranscriptWord).exactOptional(),
});
export type TranscriptSegment = z.infer<typeof TranscriptSegment>;

/** Chunk with its place in seconds of the source. */
const chunkRange = { index: z.number().int(), start: z.number(), end: z.number() };

/** `transcript.json` */
export const Transcript = z.object({
  text: z.string(),
  /** BCP 47 */
  language: z.string().max(35).exactOptional(),
  segments: z.array(TranscriptSegment),
  /** seconds of the source */
  duration: z.number(),
  complete: z.boolean(),
  missing: z.array(z.object({ ...chunkRange, error: z.string().max(10_000) })),
  /** Number of joins of chunks at words that both have, at a pause, and in the middle of the overlap. */
  joins: z.object({ words: z.number().int(), pause: z.number().int(), middle: z.number().int() }).exactOptional(),
  /** Chunks in which the provider found no speech. */
  withoutSpeech: z.array(z.object(chunkRange)).exactOptional(),
  /** Text that the model invented where nobody speaks; `text` and `segments` do not have it. */
  dropped: z.array(z.object({ ...times, text: z.string().max(100_000) })).exactOptional(),
});
export type Transcript = z.infer<typeof Transcript>;
