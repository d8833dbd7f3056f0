import type { JobPhase } from './http/job.ts';

/** Where a job runs, so that whoever follows it next joins it there and starts no second one. */
export interface JobLocation {
  containerUrl: string;
  /** Unknown while the container's answer to the request is outstanding. */
  jobId?: string;
}

/** What an activity signals to its workflow (`jobProgressSignal`). */
export interface JobProgress {
  location: JobLocation;
  phase: JobPhase;
  /** 0 to 100 */
  percent: number;
  etaSeconds?: number;
}

/** What a probe of the source said, kept over the attempts so that a busy container does not make us fetch the source each time. */
export interface ProbedSource {
  durationSeconds: number;
  /** as ffprobe names it */
  codec: string;
}

/** What one attempt hands to the next. */
export interface Carry {
  location?: JobLocation;
  probed?: ProbedSource;
}

/** Told to an activity beside its request. */
export interface AttemptContext {
  /** the same over all attempts of a step */
  idempotencyKey: string;
  carry: Carry;
}

/** A result with the time that the attempt took by the activity's monotonic clock: time in the queue for a container does not count. */
export interface Ran<Result> {
  result: Result;
  ranMs: number;
}

/** `details[0]` of every ApplicationFailure of an attempt. */
export interface FailedAttempt {
  ranMs: number;
  carry: Carry;
  retryAfterSeconds?: number;
  /** HTTP status that the container answered, or the one that its job's error stands for */
  status?: number;
  /** the container's error code */
  code?: string;
  /** of the system or of undici, where the connection failed */
  errno?: string;
  /** the container's own details of the error */
  details?: Record<string, unknown>;
}

/** `details[0]` of the failure under which a workflow ends. */
export interface RunFailure {
  lastError: { type: string; message: string };
  attempts: number;
  rateLimitHits: number;
  connectionErrors: number;
  elapsedSeconds: number;
  code?: string;
  details?: Record<string, unknown>;
}

/** What the activity sees of a step's request: `s3:` URLs are presigned by it, anew each time. */
export interface EncodeStep {
  sourceUrl: string;
  sourceSha256?: string | undefined;
  outputs: {
    format: string;
    uploadUrl: string;
    channels?: number | undefined;
    /** Hz */
    sampleRate?: number | undefined;
  }[];
}

export interface ChunkStep {
  sourceUrl: string;
  sourceSha256?: string | undefined;
  /** seconds */
  chunkDuration: number;
  /** seconds */
  overlapDuration: number;
  /** Either where to put the chunks that the source turns out to need … */
  uploadUrlPrefix?: string | undefined;
  /** … or each chunk's own place. */
  chunks?: { index: number; uploadUrl: string }[] | undefined;
}
