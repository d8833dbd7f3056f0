import { z } from 'zod';

/** Report of `npx holdfast inspect` on a package for streaming. */
export const PackageReport = z.object({
  /** Formats that were inspected. */
  kinds: z.array(z.enum(['hls', 'dash'])),
  parts: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['video', 'audio']),
      /** Codec names of its tracks, as MP4 has them. */
      codecs: z.array(z.string()),
      segments: z.number(),
      seconds: z.number(),
      /** bits per second, of this rendition alone */
      average: z.number(),
      peak: z.number(),
      /** Number of key frames in its I-frame playlist; undefined without one. */
      keyFrames: z.number().optional(),
    }),
  ),
  /** Errors that break playback. */
  problems: z.array(z.string()),
  /** Improvements for a package that plays. */
  notes: z.array(z.string()),
  notChecked: z.array(z.string()),
});
export type PackageReport = z.infer<typeof PackageReport>;

/** Answer if an index of a package cannot be read. */
export const PackageRefusal = z.object({ refusal: z.string() });
