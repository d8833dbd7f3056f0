import { z } from 'zod';
import { definedFields } from '../defined-fields.ts';
import { limitRules } from '../limit-rules.ts';
import { LimiterDetails } from '../limiter-details.ts';
import { isThrottleReason, isThrottleSeconds, type LimitsOverride } from '../limiter.ts';
import { Problem } from './problem.ts';

/** State of one limiter, or why it does not answer. */
export const LimiterEntry = z.object({
  /** `<provider>/<model>` */
  key: z.string(),
  details: LimiterDetails.optional(),
  problem: Problem.optional(),
});
export type LimiterEntry = z.infer<typeof LimiterEntry>;

/** Answer of `GET /api/limiters`. */
export const LimitersBody = z.object({ limiters: z.array(LimiterEntry) });
export type LimitersBody = z.infer<typeof LimitersBody>;

/** Body of `POST /api/limiters/{provider}/{model}/throttle`. */
export const ThrottleRequest = z.strictObject({
  seconds: z.number().refine(isThrottleSeconds, { error: 'must be above 0, and at most 8 days' }),
  reason: z.string().refine(isThrottleReason, { error: 'must have 1 to 500 characters' }),
});
export type ThrottleRequest = z.infer<typeof ThrottleRequest>;

function limitOverride({ unit, max }: (typeof limitRules)[keyof typeof limitRules]) {
  const number = unit === 'count' ? z.number().int() : z.number();
  return number.positive().max(max).nullable().optional();
}

/** Body of `POST /api/limiters/{provider}/{model}/set`; null removes an override. */
export const SetLimitsRequest = z
  .strictObject({
    maxConcurrent: limitOverride(limitRules.maxConcurrent),
    requestsPerMinute: limitOverride(limitRules.requestsPerMinute),
    requestsPerHour: limitOverride(limitRules.requestsPerHour),
    burstLimit: limitOverride(limitRules.burstLimit),
    permitSeconds: limitOverride(limitRules.permitSeconds),
    breakerFailures: limitOverride(limitRules.breakerFailures),
    breakerSeconds: limitOverride(limitRules.breakerSeconds),
  })
  .refine((limits) => Object.values(limits).some((limit) => limit !== undefined), { error: 'give at least one limit' })
  .transform((limits): LimitsOverride => definedFields(limits));
export type SetLimitsRequest = z.infer<typeof SetLimitsRequest>;
