import { z } from 'zod';
import { JobPhase } from '../http/job.ts';

/** ISO 8601; `to` is undefined until the end. */
const span = { from: z.string(), to: z.string().optional() };

const ofStep = {
  /** `encode`, `chunk` */
  step: z.string(),
  /** 1 is the first. */
  attempt: z.number().int(),
};

/** Event of a run, from its history; entries are in order of their start. */
export const TimelineEntry = z.discriminatedUnion('kind', [
  /** Waiting for a free container. */
  z.object({ kind: z.literal('queued'), ...ofStep, ...span }),
  z.object({
    kind: z.literal('attempt'),
    ...ofStep,
    ...span,
    outcome: z.enum(['succeeded', 'failed', 'cancelled']).optional(),
    error: z.object({ type: z.string(), message: z.string() }).optional(),
  }),
  /** A job at its container; `process` covers all calls to providers, `assemble` the transcript. */
  z.object({
    kind: z.literal('phase'),
    phase: z.enum([...JobPhase.options, 'process', 'assemble']),
    step: ofStep.step.optional(),
    attempt: ofStep.attempt.optional(),
    ...span,
  }),
  /** Wait between two attempts. */
  z.object({
    kind: z.literal('wait'),
    ...ofStep,
    ...span,
    reason: z.enum(['rate_limited', 'connection_error']),
    /** Set if the source or a store, not the container, was unreachable. */
    unreached: z.enum(['source', 'store']).optional(),
    until: z.string(),
    seconds: z.number(),
  }),
]);
export type TimelineEntry = z.infer<typeof TimelineEntry>;
