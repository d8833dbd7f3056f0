import { z } from 'zod';

/** The quality that pictures are to have, by VMAF: of the whole, and of all but one picture in a hundred. */
export const QualityTarget = z.strictObject({
  vmaf: z.number().min(20).max(99),
  percentile1: z.number().min(20).max(99).optional(),
});
export type QualityTarget = z.infer<typeof QualityTarget>;

/** Checks of the finished file beyond those of every output. */
export const checkOptionsShape = {
  /** `full`: decoded from end to end before it is uploaded. */
  verify: z.enum(['headers', 'full']).optional(),
  /** Its pictures are compared with those that went into their encoder. */
  quality: z.boolean().optional(),
  /** Quality that a search for the crf must reach; excludes a crf. */
  target: QualityTarget.optional(),
};

export const CheckOptions = z.strictObject(checkOptionsShape);
export type CheckOptions = z.infer<typeof CheckOptions>;
