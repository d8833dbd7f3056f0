import { z } from 'zod';

/** dBFS; sound whose peak is not above it is silent. */
export const SilenceThreshold = z.number().min(-90).max(-20);

/** dBFS, where a request does not say, and in reports: under the speech of a podcast, above the noise of its room. */
export const defaultSilenceThreshold = -50;

/** Seconds of a pause. */
export const PauseSeconds = z.number().min(0.2).max(3600);

/** Seconds of a chapter. */
export const ChapterSeconds = z.number().min(1).max(86_400);

/** What is done about pauses. */
export const Silence = z.strictObject({
  /** Removes silence before the first sound. */
  trimStart: z.boolean().optional(),
  /** The same after the last. */
  trimEnd: z.boolean().optional(),
  /** Seconds that are left of a longer one. */
  shortenTo: PauseSeconds.optional(),
  threshold: SilenceThreshold.optional(),
});
export type Silence = z.infer<typeof Silence>;

/** Which pauses begin a chapter. */
export const ChapterPauses = z.strictObject({
  /** Seconds: a shorter pause begins none. */
  minPause: PauseSeconds.optional(),
  /** Seconds of the output: no chapter is shorter. */
  minChapter: ChapterSeconds.optional(),
  threshold: SilenceThreshold.optional(),
  /** What stands before its number. */
  title: z.string().max(100).optional(),
});
export type ChapterPauses = z.infer<typeof ChapterPauses>;
