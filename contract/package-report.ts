import { z } from 'zod';

/** What `npm run inspect` tells of a package for streaming. */
export const PackageReport = z.object({
  /** What was read of it. */
  kinds: z.array(z.enum(['hls', 'dash'])),
  parts: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['video', 'audio']),
      /** MP4's names of the codecs of its tracks. */
      codecs: z.array(z.string()),
      segments: z.number(),
      seconds: z.number(),
      /** bits a second, of its own */
      average: z.number(),
      peak: z.number(),
      /** Those that its playlist of key frames names, where it has one. */
      keyFrames: z.number().optional(),
    }),
  ),
  /** What players stumble over. */
  problems: z.array(z.string()),
  /** What plays, and could be better. */
  notes: z.array(z.string()),
  notChecked: z.array(z.string()),
});
export type PackageReport = z.infer<typeof PackageReport>;

/** Answer where an index of a package cannot be read. */
export const PackageRefusal = z.object({ refusal: z.string() });
