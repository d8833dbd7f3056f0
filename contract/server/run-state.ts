import { z } from 'zod';

export const RunState = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);
export type RunState = z.infer<typeof RunState>;

/** `active`: every run that has not ended; `ended`: all others. */
export const RunFilter = z.enum([...RunState.options, 'active', 'ended']);
export type RunFilter = z.infer<typeof RunFilter>;
