import { z } from 'zod';

/** One way to make the pictures of a package that was tried on samples of the film. */
const TriedRendition = z.object({
  /** pixels */
  width: z.number().int(),
  height: z.number().int(),
  crf: z.number(),
  /** kbit/s on average */
  bitrate: z.number().int(),
  /** VMAF of its pictures, enlarged to the largest size that was tried. */
  vmaf: z.number(),
  isChosen: z.boolean(),
  /** Why it is one of the package, or why it is none. */
  reason: z.string(),
  /** kbit/s; of one that is chosen, where its codec has a limit */
  maxBitrate: z.number().int().optional(),
});

/** How the renditions of a package were chosen for its film. */
export const PerTitleFacts = z.object({
  /** libvmaf's name */
  model: z.string(),
  /** What the best rendition was to reach. */
  targetVmaf: z.number(),
  isReached: z.boolean(),
  /** `false`: its samples say nothing of the film, and the renditions are those that suit the source. */
  isTelling: z.boolean(),
  /** Those with the most bits first. */
  tried: z.array(TriedRendition),
});
export type PerTitleFacts = z.infer<typeof PerTitleFacts>;
