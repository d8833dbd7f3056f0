import { z } from 'zod';

/** How the finished file of an output is looked at, besides what is always checked. */
export const checkOptionsShape = {
  /** `full`: decoded from end to end before it is uploaded. */
  verify: z.enum(['headers', 'full']).optional(),
  /** Its pictures are compared with those that went into their encoder. */
  quality: z.boolean().optional(),
};

export const CheckOptions = z.strictObject(checkOptionsShape);
export type CheckOptions = z.infer<typeof CheckOptions>;
