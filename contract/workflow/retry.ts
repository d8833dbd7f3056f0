import { z } from 'zod';

/** Overrides of the retry policy, in seconds (docs/reference/retries.md). */
export const RetryOverrides = z.strictObject({
  maxRetryTime: z.number().min(0).max(31_536_000).optional(),
  baseDelay: z.number().positive().max(86_400).optional(),
  maxDelay: z.number().positive().max(86_400).optional(),
  retryBuffer: z.number().min(0).max(86_400).optional(),
});
export type RetryOverrides = z.infer<typeof RetryOverrides>;

/** Attempts and time of a run, for its result and the failure `RetryBudgetExhausted`. */
export const AttemptCounts = z.object({
  attempts: z.number().int(),
  rateLimitHits: z.number().int(),
  connectionErrors: z.number().int(),
  elapsedSeconds: z.number(),
});
export type AttemptCounts = z.infer<typeof AttemptCounts>;
