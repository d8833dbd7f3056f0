import { z } from 'zod';

/** dBFS; sound is silent if its peak does not exceed it. */
export const SilenceThreshold = z.number().min(-90).max(-20);

/** dBFS, for reports and as the default of requests: below the speech of a podcast, above its room noise. */
export const defaultSilenceThreshold = -50;

/** Seconds of a pause. */
export const PauseSeconds = z.number().min(0.2).max(3600);

export const ChapterSeconds = z.number().min(1).max(86_400);

/** How pauses are removed or shortened. */
export const Silence = z.strictObject({
  /** Removes silence before the first sound. */
  trimStart: z.boolean().optional(),
  /** Removes silence after the last sound. */
  trimEnd: z.boolean().optional(),
  /** Seconds to which longer pauses are shortened. */
  shortenTo: PauseSeconds.optional(),
  threshold: SilenceThreshold.optional(),
});
export type Silence = z.infer<typeof Silence>;

/** Which pauses begin a chapter. */
export const ChapterPauses = z.strictObject({
  /** Minimum seconds of a pause that begins a chapter. */
  minPause: PauseSeconds.optional(),
  /** Minimum seconds of a chapter in the output. */
  minChapter: ChapterSeconds.optional(),
  threshold: SilenceThreshold.optional(),
  /** Text before the chapter's number. */
  title: z.string().max(100).optional(),
});
export type ChapterPauses = z.infer<typeof ChapterPauses>;
