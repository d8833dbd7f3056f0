import { z } from 'zod';

/** A trial rendition, measured on samples of the film. */
const TriedRendition = z.object({
  /** pixels */
  width: z.number().int(),
  height: z.number().int(),
  crf: z.number(),
  /** kbit/s on average */
  bitrate: z.number().int(),
  /** VMAF after upscaling to the largest size tried. */
  vmaf: z.number(),
  isChosen: z.boolean(),
  /** Why it was chosen or not. */
  reason: z.string(),
  /** kbit/s; set on chosen renditions if the codec has a limit */
  maxBitrate: z.number().int().optional(),
});

/** How the renditions of a package were chosen. */
export const PerTitleFacts = z.object({
  /** libvmaf's name */
  model: z.string(),
  /** VMAF that the best rendition should reach. */
  targetVmaf: z.number(),
  isReached: z.boolean(),
  /** `false`: the samples were not representative, and the renditions are the default ones. */
  isTelling: z.boolean(),
  /** Highest bitrate first. */
  tried: z.array(TriedRendition),
});
export type PerTitleFacts = z.infer<typeof PerTitleFacts>;
