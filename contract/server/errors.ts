import { z } from 'zod';

/** The query of `GET /api/errors`. */
export const ErrorsQuery = z.strictObject({ hours: z.coerce.number().min(1).max(720).default(24) });
export type ErrorsQuery = z.infer<typeof ErrorsQuery>;

/** How many runs have failed by one error. */
export const ErrorCount = z.object({
  /** Type of the failure: that of the run's `failure`, `Terminated`, `TimedOut`, or `ProviderFailed` where all chunks failed. */
  type: z.string(),
  count: z.number().int(),
  /** The last of these runs, and when it ended. */
  lastRun: z.string(),
  lastAt: z.string(),
});
export type ErrorCount = z.infer<typeof ErrorCount>;

/** The answer of `GET /api/errors`. */
export const ErrorsView = z.object({
  since: z.string(),
  /** Runs that have ended since, in whatever way. */
  ended: z.number().int(),
  /** Those of them that have failed. */
  failed: z.number().int(),
  /** The most frequent first. */
  errors: z.array(ErrorCount),
});
export type ErrorsView = z.infer<typeof ErrorsView>;
