import { z } from 'zod';
import { ChunkResult } from './chunk.ts';
import { EncodeResult } from './encode.ts';
import { ErrorBody } from './error.ts';
import { MetadataResult } from './metadata.ts';
import { WantedFile } from './upload-urls.ts';

/** Result of each kind of job. The path of a kind is `POST /<kind>`. */
export const jobResults = { encode: EncodeResult, chunk: ChunkResult, metadata: MetadataResult } as const;

export type JobKind = keyof typeof jobResults;
export const JobKind = z.enum(Object.keys(jobResults) as [JobKind, ...JobKind[]]);

export const JobResult = z.union(Object.values(jobResults));
export type JobResult = z.infer<typeof JobResult>;

export const JobPhase = z.enum(['download', 'probe', 'measure', 'encode', 'chunk', 'verify', 'upload', 'deliver']);
export type JobPhase = z.infer<typeof JobPhase>;

/** Progress of a job that encodes pictures. */
export const VideoProgress = z.object({
  /** frames encoded so far, per output */
  frames: z.number().int(),
  /** Frames encoded per second, per output. */
  fps: z.number(),
  /** bytes of all files so far */
  size: z.number().int(),
});
export type VideoProgress = z.infer<typeof VideoProgress>;

const facts = {
  jobId: z.string(),
  kind: JobKind,
  phase: JobPhase,
  /** 0 to 100 over all phases; never falls */
  percent: z.number(),
  /** seconds of media per second, if ffmpeg reports it */
  speed: z.number().optional(),
  /** Set while pictures are encoded. */
  video: VideoProgress.optional(),
  etaSeconds: z.number().optional(),
  /** increases with every real progress: bytes moved or media time passed */
  advances: z.number().int(),
  /** ISO 8601 */
  startedAt: z.string(),
};

/** Answer to `GET /jobs/:id`, and each of its events. */
export const JobView = z.discriminatedUnion('state', [
  z.object({
    ...facts,
    state: z.literal('running'),
    /** Phase `deliver`: files that still need URLs. */
    wanted: z.array(WantedFile).optional(),
  }),
  z.object({
    ...facts,
    state: z.literal('succeeded'),
    endedAt: z.string(),
    result: JobResult,
  }),
  z.object({ ...facts, state: z.literal('failed'), endedAt: z.string(), error: ErrorBody }),
  z.object({ ...facts, state: z.literal('cancelled'), endedAt: z.string(), error: ErrorBody }),
]);
export type JobView = z.infer<typeof JobView>;

export type EndedJobView = Exclude<JobView, { state: 'running' }>;

const [running, succeeded, failed, cancelled] = JobView.options;

/** A job in a list, without its result and wanted files. */
export const ListedJob = z.discriminatedUnion('state', [
  running.omit({ wanted: true }),
  succeeded.omit({ result: true }),
  failed,
  cancelled,
]);
export type ListedJob = z.infer<typeof ListedJob>;

export const JobsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  /** `nextCursor` of the previous page */
  cursor: z.string().max(100).optional(),
  state: z.enum(['running', 'succeeded', 'failed', 'cancelled']).optional(),
  /** Default: every kind but `metadata`. */
  kind: JobKind.optional(),
});
export type JobsQuery = z.infer<typeof JobsQuery>;

export const JobsPage = z.object({
  /** newest first */
  jobs: z.array(ListedJob),
  /** Undefined on the last page. */
  nextCursor: z.string().optional(),
});
export type JobsPage = z.infer<typeof JobsPage>;

/** Answer to `Prefer: respond-async`. */
export const AcceptedBody = z.object({
  success: z.literal(true),
  jobId: z.string(),
  state: z.enum(['running', 'succeeded']),
});
export type AcceptedBody = z.infer<typeof AcceptedBody>;

export const ReadyBody = z.object({ status: z.enum(['ready', 'not_ready']), reason: z.string().optional() });
export type ReadyBody = z.infer<typeof ReadyBody>;

export const HealthBody = z.object({
  status: z.literal('healthy'),
  activeJobs: z.number().int(),
  jobs: z.array(z.string()),
  /** Changes at each start of the process; the jobs of the previous process are gone. */
  instanceId: z.string(),
});
export type HealthBody = z.infer<typeof HealthBody>;
