import { z } from 'zod';

export const ErrorsQuery = z.strictObject({ hours: z.coerce.number().min(1).max(720).default(24) });
export type ErrorsQuery = z.infer<typeof ErrorsQuery>;

/** Number of runs that failed with one error. */
export const ErrorCount = z.object({
  /**
   * Type of the run's `failure`: that of its error, or `Terminated`, `TimedOut`, `ProviderFailed` if all chunks failed,
   * or `ChunksFailed` if some did.
   */
  type: z.string(),
  count: z.number().int(),
  /** The last of these runs, and its end. */
  lastRun: z.string(),
  lastAt: z.string(),
});
export type ErrorCount = z.infer<typeof ErrorCount>;

/** Answer of `GET /api/errors`. */
export const ErrorsView = z.object({
  since: z.string(),
  /** Runs that ended in the period, with any outcome. */
  ended: z.number().int(),
  /** Those that failed. */
  failed: z.number().int(),
  /** Most frequent first. */
  errors: z.array(ErrorCount),
});
export type ErrorsView = z.infer<typeof ErrorsView>;
