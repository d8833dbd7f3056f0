import type { ChunkListAbout } from './chunk-list.ts';
import type { ChunkSettings, KeptChunks, Unchanged } from './earlier-chunks.ts';
import type { JobPhase, JobResult, VideoProgress } from './http/job.ts';
import type { SourceIdentity } from './http/source.ts';
import type { UploadPlace } from './http/url.ts';
import type { ChunkingInput } from './workflow/chunking.ts';
import type { CommonInput } from './workflow/common-input.ts';
import type { EncodeInput } from './workflow/encode.ts';

/** Sent by an activity to its own workflow when its job in the container starts and advances; the argument is a JobProgress. */
export const jobProgressSignal = 'job_progress';

/** A container's process, for workers other than the one that found it. */
export interface ContainerPlace {
  containerUrl: string;
  /** Another one at the same URL has none of its jobs. Unknown of a container that does not tell. */
  instanceId?: string;
  /** The machine that the URL is good on, where it is a loopback address: the same URL is another container elsewhere. */
  machine?: string;
}

/** Where a job runs. The next follower joins the job there and starts no second one. */
export interface JobLocation extends ContainerPlace {
  jobId: string;
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
  /** seconds of media for each second of time */
  speed?: number;
  /** While pictures are encoded. */
  video?: VideoProgress;
}

/** Result of probing the source, kept over the attempts: a busy container causes no second probe. */
export interface ProbedSource {
  durationSeconds: number;
  /** ffprobe's name */
  codec: string;
}

/** An upload in parts that a worker has created for a file of a job, so that none is forgotten at its store. */
export interface StartedUpload {
  jobId: string;
  /** Index of the output, and name of the file in it. */
  output: number;
  name: string;
  /** `s3://bucket/key` */
  url: string;
  uploadId: string;
}

/** What one attempt hands to the next. */
export interface AttemptState {
  /** The step's job. */
  location?: JobLocation;
  /** Who may have got a request whose answer did not come. */
  asked?: ContainerPlace;
  /** Jobs of the step before that one, which were lost from sight and may still run. */
  former?: JobLocation[];
  probed?: ProbedSource;
  /** The job that looks at the source for it. */
  probing?: JobLocation;
  uploads?: StartedUpload[];
  /** The container's own, where it counted otherwise than we planned. */
  chunkCount?: number;
}

/** Given to an activity beside its request. */
export interface AttemptContext {
  /** The step's id, unique in its run. */
  step: string;
  /** The same for all attempts of a step: `<first execution's run id>:<step>` */
  idempotencyKey: string;
  state: AttemptState;
}

/** What an activity that submits a job ends with; `ranMs` is by its own clock, without its time in the queue. */
export type Submission =
  | { kind: 'accepted'; state: AttemptState; job: AcceptedJob; ranMs: number }
  /** The container has held the request to the end of its job, or remembered the result. */
  | { kind: 'finished'; state: AttemptState; result: JobResult | Unchanged }
  /** The slot was not the worker's any more: nothing was sent, and the step queues again. */
  | { kind: 'turned_away'; state: AttemptState };

/** What following a job needs to know of it. */
export interface AcceptedJob {
  location: JobLocation;
  /** When the first of the URLs expires that we have signed; undefined where we signed none. */
  urlsExpireAtMs?: number;
}

/** `details[0]` of every ApplicationFailure of an attempt. */
export interface FailedAttempt {
  /** Time lost: after the job's last advance, else all of it. */
  ranMs: number;
  /** The job has advanced, so that the time before is not lost time. */
  advanced?: boolean;
  /** Another request, built from the current state, may succeed at once. */
  resubmit?: boolean;
  state: AttemptState;
  retryAfterSeconds?: number;
  /** That was not reached. */
  containerUrl?: string;
  /** HTTP status that the container answered, or the one that its job's error stands for */
  status?: number;
  /** the container's error code */
  code?: string;
  /** Code of the system or of undici for a failed connection. */
  errno?: string;
  /** the container's own details of the error */
  details?: Record<string, unknown>;
}

/** What the activity that follows a job is given. */
export interface JobToFollow extends AcceptedJob {
  /** Where its outputs go, as the input says it: the container may ask for it. */
  targets?: UploadPlace[];
}

/** Input of `encode` without the workflow's own fields. The activity presigns `s3:` URLs at each attempt. */
export type EncodeActivityInput = Omit<EncodeInput, keyof CommonInput> & {
  /** Nothing is encoded where the source is this one. */
  unlessSource?: SourceIdentity;
};

/** Input of `chunking` without the workflow's own fields, with its durations decided. */
export type ChunkActivityInput = Omit<ChunkingInput, keyof CommonInput | 'resume'> & {
  chunkDuration: number;
  overlapDuration: number;
  /** What the list of chunks says about the run; the settings are added. */
  about?: Omit<ChunkListAbout, keyof ChunkSettings | 'codec'> & { format?: string };
  keep?: KeptChunks;
};
