import { z } from 'zod';
import { limitRules } from './limit-rules.ts';
import { ProviderLimits } from './provider.ts';

const count = z.number();

/** Answer of a limiter's query `stats`. Times are ISO 8601. */
export const LimiterStats = z.object({
  requests_last_minute: count,
  limit_per_minute: count,
  requests_last_hour: count,
  limit_per_hour: count,
  burst_tokens_remaining: count,
  burst_limit: count,
  /** Requests in the last hour. */
  total_requests_tracked: count,
  permits_in_use: count,
  max_concurrent: count,
  waiting: count,
  throttled: z.boolean(),
  throttle_until: z.string().nullable(),
  throttle_reason: z.string().nullable(),
});
export type LimiterStats = z.infer<typeof LimiterStats>;

/** Answer of the query `details`: stats, holders, waiting requests and overrides of the same moment. */
export const LimiterDetails = z.object({
  stats: LimiterStats,
  limits: ProviderLimits,
  /** Limits without the operator's override. */
  settings: ProviderLimits,
  override: z.partialRecord(z.enum(Object.keys(limitRules) as (keyof typeof limitRules)[]), count.nullable()),
  /** Total slots of the workers that have reported; permits never exceed them. null if none has reported. */
  slots: count.nullable(),
  breaker: z.object({
    state: z.enum(['closed', 'open', 'probing']),
    failuresInRow: count,
    until: z.string().nullable(),
  }),
  permits: z.array(
    z.object({ permitId: z.string(), holder: z.string(), requestId: z.string(), expiresAt: z.string() }),
  ),
  waiting: z.array(z.object({ holder: z.string(), requests: count })),
});
export type LimiterDetails = z.infer<typeof LimiterDetails>;
