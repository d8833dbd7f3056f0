import { z } from 'zod';

/**
 * Layout of captions. The defaults are Netflix's, which publishes them in its Timed Text Style Guides: two lines of 42
 * characters, 17 characters per second, and a gap of two frames, here of 24 per second.
 */
export const CaptionStyle = z.strictObject({
  /** characters */
  lineLength: z.number().int().min(16).max(100).default(42),
  /** Lines of a cue. */
  lines: z.number().int().min(1).max(4).default(2),
  /** Characters per second. A cue stays longer if the speech is faster and a pause follows. */
  readingSpeed: z.number().min(5).max(50).default(17),
  /** Seconds between two cues. */
  minGap: z.number().min(0).max(2).default(0.083),
});
export type CaptionStyle = z.infer<typeof CaptionStyle>;

export const RequestedCaptionStyle = CaptionStyle.partial();
export type RequestedCaptionStyle = z.infer<typeof RequestedCaptionStyle>;
