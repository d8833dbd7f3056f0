import { z } from 'zod';

/** Scores of one metric over all pictures of an output. */
const PictureScores = z.object({
  mean: z.number(),
  /** Value that 99 of 100 pictures reach. */
  percentile1: z.number(),
  /** Mean of the worst second, and the second of the output at which it begins. */
  worstSecond: z.object({ value: z.number(), at: z.number() }),
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
export const ReachedTarget = z.object({ crf: z.number(), isReached: z.boolean() });
export type ReachedTarget = z.infer<typeof ReachedTarget>;
