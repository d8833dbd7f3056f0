import { z } from 'zod';

/** Scores of one measure over all pictures of an output. */
const PictureScores = z.object({
  mean: z.number(),
  /** One picture in a hundred is worse. */
  percentile1: z.number(),
  /** The mean of that second whose pictures are the worst, and the second of the output at which it begins. */
  worstSecond: z.object({ value: z.number(), at: z.number() }),
});
export type PictureScores = z.infer<typeof PictureScores>;

/** How near the pictures of an output are to those that went into its encoder. */
export const QualityFacts = z.object({
  /** 0 to 100; `model` is that of libvmaf. */
  vmaf: PictureScores.extend({ model: z.string() }),
  /** dB, of luma */
  psnr: PictureScores,
  /** 0 to 1, of luma */
  ssim: PictureScores,
});
export type QualityFacts = z.infer<typeof QualityFacts>;

/** The rate factor that was chosen for a target, and whether the whole film reaches it. */
export const ReachedTarget = z.object({ crf: z.number(), isReached: z.boolean() });
export type ReachedTarget = z.infer<typeof ReachedTarget>;
