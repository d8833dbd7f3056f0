import { z } from 'zod';

/** Mean of a second, and the second of the output at which it begins. */
const ScoredSecond = z.object({ value: z.number(), at: z.number() });

/** Scores of one metric over all pictures of an output. */
const PictureScores = z.object({
  mean: z.number(),
  /** Value that 99 of 100 pictures reach. */
  percentile1: z.number(),
  worstSecond: ScoredSecond,
  /** Spread films: the worst second that contains a seam, or begins or ends at one, and the worst of all others. */
  worstSecondNearSeams: ScoredSecond.optional(),
  worstSecondElsewhere: ScoredSecond.optional(),
});
export type PictureScores = z.infer<typeof PictureScores>;

/** Similarity of an output's pictures to the encoder's input. */
export const QualityFacts = z.object({
  /** 0 to 100; `model` is libvmaf's name. */
  vmaf: PictureScores.extend({ model: z.string() }),
  /** dB, of luma */
  psnr: PictureScores,
  /** 0 to 1, of luma */
  ssim: PictureScores,
});
export type QualityFacts = z.infer<typeof QualityFacts>;

/** Rate factor chosen for a target, and whether the whole film reaches the target. */
export const ReachedTarget = z.object({
  crf: z.number(),
  isReached: z.boolean(),
  /** Targets per scene: number of scenes, and their least and greatest rate factor. */
  scenes: z.object({ count: z.number().int(), leastCrf: z.number(), greatestCrf: z.number() }).optional(),
});
export type ReachedTarget = z.infer<typeof ReachedTarget>;
