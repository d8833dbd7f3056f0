import { z } from 'zod';
import { statusByErrorCode, type ErrorCode } from '../error-codes.ts';
import { JobUsage } from '../usage.ts';

const errorCodes = Object.keys(statusByErrorCode) as [ErrorCode, ...ErrorCode[]];

/** Answer to every request that fails (docs/reference/errors.md). */
export const ErrorBody = z.object({
  success: z.literal(false),
  error: z.string(),
  code: z.enum(errorCodes),
  jobId: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  /** Set for a job that ended without success. */
  usage: JobUsage.optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** Answer to a job that is not admitted (docs/reference/container-api.md, "Admission"). */
export const BusyBody = z.object({
  success: z.literal(false),
  error: z.string(),
  code: z.literal('busy'),
  retryAfter: z.number(),
  activeJobs: z.number().int(),
});
export type BusyBody = z.infer<typeof BusyBody>;
