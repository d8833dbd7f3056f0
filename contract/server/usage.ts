import { z } from 'zod';
import { commonInputShape } from '../workflow/common-input.ts';

/** A day in UTC. */
export const UsageDay = z.iso.date({ error: 'must be a day, such as 2026-11-27' });

/** Longest period, in days. */
const mostDays = 366;

export const UsageQuery = z.strictObject({
  /** First day; default: 29 days before `to`. */
  from: UsageDay.optional(),
  /** Last day; default: today. */
  to: UsageDay.optional(),
  owner: commonInputShape.owner,
  format: z.enum(['json', 'csv']).default('json'),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

/** Resources that the runs of an owner used which ended on a day. */
export const UsageRow = z.object({
  /** Day in UTC. */
  day: z.string(),
  /** Undefined for runs without an owner. */
  owner: z.string().optional(),
  runs: z.number().int(),
  /** Runs whose usage is not known, such as cancelled ones; the sums leave them out. */
  unmeasured: z.number().int(),
  /** Seconds with a slot. */
  jobSeconds: z.number(),
  cpuSeconds: z.number(),
  bytesIn: z.number(),
  bytesOut: z.number(),
  providerCalls: z.number().int(),
  /** Seconds of audio that providers transcribed. */
  providerAudioSeconds: z.number(),
  /** Undefined without prices. */
  cost: z.number().optional(),
});
export type UsageRow = z.infer<typeof UsageRow>;

/** Answer of `GET /api/usage`. */
export const UsageView = z.object({
  from: z.string(),
  to: z.string(),
  /** false: there are too many runs, and the oldest are left out. */
  complete: z.boolean(),
  /** ISO 4217; set if any cost is. */
  currency: z.string().optional(),
  /** Rows by day, newest first, then by owner. */
  rows: z.array(UsageRow),
  total: UsageRow.omit({ day: true, owner: true }),
});
export type UsageView = z.infer<typeof UsageView>;

export interface UsagePeriod {
  from: string;
  to: string;
}

/** Returns the period, or a sentence that says what is wrong with it. */
export function usagePeriod({ from, to }: Pick<UsageQuery, 'from' | 'to'>, now: Date): UsagePeriod | string {
  const last = to ?? now.toISOString().slice(0, 10);
  const first = from ?? addDays(last, -29);
  if (first > last) return `The first day, ${first}, is after the last day, ${last}.`;
  if (addDays(first, mostDays) <= last) return `A period has at most ${mostDays} days.`;
  return { from: first, to: last };
}

export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
