import { z } from 'zod';

/** The answer of `GET /api/queue`. */
export const QueueView = z.object({
  /** Steps of runs that stand in the line for a container. */
  backlog: z.number().int(),
  /** Since when the first of them stands there; missing where none does. */
  oldestSeconds: z.number().optional(),
  /** Runs that a container works for. */
  busy: z.number().int(),
  /** Workers that reach a container which could work. */
  workers: z.number().int(),
});
export type QueueView = z.infer<typeof QueueView>;

/** The answer of `GET /api/scale`, for autoscalers. */
export const ScaleView = z.object({
  /** How many containers would be at work if there were as many: backlog and busy. */
  wanted: z.number().int(),
});
export type ScaleView = z.infer<typeof ScaleView>;
