import type { JobPhase } from './http/job.ts';
import type { ChunkingInput } from './workflow/chunking.ts';
import type { EncodeInput } from './workflow/encode.ts';

/** Sent by an activity to its own workflow when its job in the container starts and advances; the argument is a JobProgress. */
export const jobProgressSignal = 'job_progress';

/** Where a job runs, so that whoever follows it next joins it there and starts no second one. */
export interface JobLocation {
  containerUrl: string;
  /** Unknown while the container's answer to the request is outstanding. */
  jobId?: string;
}

/** What an activity signals to its workflow (`jobProgressSignal`). */
export interface JobProgress {
  /** The id of the run's step whose job it is. */
  step: string;
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

/** An upload in parts that a worker has created for a file of a job, so that none is forgotten at its store. */
export interface StartedUpload {
  jobId: string;
  /** Of the file: index of the output, and name in it. */
  output: number;
  name: string;
  /** `s3://bucket/key` */
  url: string;
  uploadId: string;
}

/** What one attempt hands to the next. */
export interface AttemptState {
  location?: JobLocation;
  probed?: ProbedSource;
  uploads?: StartedUpload[];
}

/** Given to an activity beside its request. */
export interface AttemptContext {
  /** The step's id, unique in its run. */
  step: string;
  /** The same for all attempts of a step: `<first execution's run id>:<step>` */
  idempotencyKey: string;
  state: AttemptState;
}

/** A result with the time that the attempt took by the activity's monotonic clock: time in the queue for a container does not count. */
export interface TimedResult<Result> {
  result: Result;
  ranMs: number;
}

/** `details[0]` of every ApplicationFailure of an attempt. */
export interface FailedAttempt {
  ranMs: number;
  state: AttemptState;
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

/** The input of `encode` without what only the workflow uses. `s3:` URLs are presigned by the activity, anew at each attempt. */
export type EncodeActivityInput = Omit<EncodeInput, 'retry'>;

/** The input of `chunking` without what only the workflow uses, its durations decided. */
export type ChunkActivityInput = Omit<ChunkingInput, 'retry'> & { chunkDuration: number; overlapDuration: number };
