import { z } from 'zod';

/** Target VMAF of encoded pictures: the mean, and the value that 99 of 100 pictures reach. */
export const QualityTarget = z.strictObject({
  vmaf: z.number().min(20).max(99),
  percentile1: z.number().min(20).max(99).optional(),
  /** Each scene has its own crf. Undefined: one crf for the film. */
  per: z.literal('scene', { error: 'must be "scene"' }).optional(),
});
export type QualityTarget = z.infer<typeof QualityTarget>;

/** Checks of the finished file in addition to those of every output. */
export const checkOptionsShape = {
  /** `full`: decodes the whole file before the upload. */
  verify: z.enum(['headers', 'full']).optional(),
  /** Compares the encoded pictures with the encoder's input. */
  quality: z.boolean().optional(),
  /** Quality that a search for the crf must reach; excludes a crf. */
  target: QualityTarget.optional(),
};

export const CheckOptions = z.strictObject(checkOptionsShape);
export type CheckOptions = z.infer<typeof CheckOptions>;
