import { z } from 'zod';
import { ChunkResult } from './chunk.ts';
import { EncodeResult } from './encode.ts';
import { ErrorBody } from './error.ts';

export const JobKind = z.enum(['encode', 'chunk']);
export type JobKind = z.infer<typeof JobKind>;

export const JobPhase = z.enum(['download', 'probe', 'encode', 'chunk', 'verify', 'upload']);
export type JobPhase = z.infer<typeof JobPhase>;

const facts = {
  jobId: z.string(),
  kind: JobKind,
  phase: JobPhase,
  /** 0 to 100 over all phases; never falls */
  percent: z.number(),
  /** seconds of media for each second of time, where ffmpeg says so */
  speed: z.number().optional(),
  etaSeconds: z.number().optional(),
  /** grows by one whenever the job has really advanced: bytes moved or media time passed */
  advances: z.number().int(),
  /** ISO 8601 */
  startedAt: z.string(),
};

/** `GET /jobs/:id` and each of its events. */
export const JobView = z.discriminatedUnion('state', [
  z.object({ ...facts, state: z.literal('running') }),
  z.object({
    ...facts,
    state: z.literal('succeeded'),
    endedAt: z.string(),
    result: z.union([EncodeResult, ChunkResult]),
  }),
  z.object({ ...facts, state: z.literal('failed'), endedAt: z.string(), error: ErrorBody }),
  z.object({ ...facts, state: z.literal('cancelled'), endedAt: z.string(), error: ErrorBody }),
]);
export type JobView = z.infer<typeof JobView>;

/** The answer to `Prefer: respond-async`. */
export const AcceptedBody = z.object({
  success: z.literal(true),
  jobId: z.string(),
  state: z.enum(['running', 'succeeded']),
});
export type AcceptedBody = z.infer<typeof AcceptedBody>;

export const HealthBody = z.object({
  status: z.literal('healthy'),
  activeJobs: z.number().int(),
  jobs: z.array(z.string()),
  /** Anew at each start of the process: another one means that its jobs are gone. */
  instanceId: z.string(),
});
export type HealthBody = z.infer<typeof HealthBody>;
