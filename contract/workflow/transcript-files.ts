import { z } from 'zod';

/** URLs of the files of a transcript. */
export const TranscriptFiles = z.object({
  json: z.string(),
  vtt: z.string(),
  srt: z.string(),
  // Runs of older versions omit these.
  verbose_json: z.string().optional(),
  podcast_json: z.string().optional(),
  ttml: z.string().optional(),
  txt: z.string().optional(),
  chapters: z.string().optional(),
});
