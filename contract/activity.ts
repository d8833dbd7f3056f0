import type { ChunkListAbout } from './chunk-list.ts';
import type { KeptChunks, Unchanged } from './earlier-chunks.ts';
import type { EncodePart } from './http/part.ts';
import type { JobPhase, JobResult, VideoProgress } from './http/job.ts';
import type { SourceIdentity } from './http/source.ts';
import type { UploadPlace } from './http/url.ts';
import type { ChunkingInput } from './workflow/chunking.ts';
import type { JobUsage } from './usage.ts';
import type { Requester } from './requester.ts';
import type { CommonInput } from './workflow/common-input.ts';
import type { EncodeInput } from './workflow/encode.ts';

/**
 * Signal that an activity sends to its own workflow when its job starts and progresses; the argument is a JobProgress.
 */
export const jobProgressSignal = 'job_progress';

/** Address of a container's process, as other workers reach it. */
export interface ContainerPlace {
  containerUrl: string;
  /** A different instance at the same URL holds none of these jobs. Undefined if the container does not report it. */
  instanceId?: string;
  /** Machine on which a loopback URL is valid; elsewhere the same URL is a different container. */
  machine?: string;
}

/** Place where a job runs; the next follower joins the job there instead of starting a second one. */
export interface JobLocation extends ContainerPlace {
  jobId: string;
}

/** Argument of `jobProgressSignal`. */
export interface JobProgress {
  /** Id of the run's step that owns the job. */
  step: string;
  location: JobLocation;
  phase: JobPhase;
  /** 0 to 100 */
  percent: number;
  etaSeconds?: number;
  /** seconds of media per second */
  speed?: number;
  /** Set while pictures are encoded. */
  video?: VideoProgress;
}

/** Result of probing the source. Retries reuse it, so a busy container causes no second probe. */
export interface ProbedSource {
  durationSeconds: number;
  /** ffprobe's name */
  codec: string;
}

/**
 * Multipart upload that a worker created for a file of a job; recorded so that no orphaned parts remain in the store.
 */
export interface StartedUpload {
  jobId: string;
  /** Index of the output, and the file's name in that output. */
  output: number;
  name: string;
  /** `s3://bucket/key` */
  url: string;
  uploadId: string;
}

/** State that one attempt hands to the next. */
export interface AttemptState {
  location?: JobLocation;
  /** URLs that we signed for the job at `location` or `probing`. */
  signed?: SignedUrls;
  /** Container that may have received a request whose answer was lost. */
  asked?: ContainerPlace;
  /** Earlier jobs of the step that were lost from sight and may still run. */
  former?: JobLocation[];
  probed?: ProbedSource;
  /** The job that inspects the source for the step. */
  probing?: JobLocation;
  uploads?: StartedUpload[];
  /** Number of chunks that the container reported, if it differs from the plan. */
  chunkCount?: number;
}

/** Expiry of the first of the URLs of a job that we signed, by their use; undefined if we signed none. */
export interface SignedUrls {
  /** of the source; older versions counted the other files in, too */
  readsExpireAtMs?: number;
  /** of files beside the source */
  linksExpireAtMs?: number;
  writesExpireAtMs?: number;
}

/** The run for which a job works. */
export interface RunOfJob {
  workflowId: string;
  runId: string;
}

/** Arguments of an activity in addition to its request. */
export interface AttemptContext {
  /** The step's id, unique in its run. */
  step: string;
  /** The same for all attempts of a step: `<first execution's run id>:<step>`. A corrected request adds a suffix. */
  idempotencyKey: string;
  state: AttemptState;
  /** The requester whose rights decide which of the worker's secrets are used. */
  requester?: Requester;
}

/** Result of an activity that submits a job. `ranMs` is the activity's own time and excludes its wait in the queue. */
export type Submission =
  | { kind: 'accepted'; state: AttemptState; job: AcceptedJob; ranMs: number }
  /** The container held the request until its job ended, or it remembered the result. */
  | { kind: 'finished'; state: AttemptState; result: JobResult | Unchanged }
  /** The worker no longer held the slot: nothing was sent, and the step queues again. */
  | { kind: 'turned_away'; state: AttemptState };

export interface AcceptedJob {
  location: JobLocation;
  signed?: SignedUrls;
  /** Expiry of the first URL that a worker of an older version signed. */
  urlsExpireAtMs?: number;
}

/** `details[0]` of every ApplicationFailure of an attempt. */
export interface FailedAttempt {
  /** Time lost: since the job's last progress, or the whole attempt if it made none. */
  ranMs: number;
  /** The job made progress, so the time before it is not lost. */
  advanced?: boolean;
  /** Another request, built from the current state, may succeed at once. */
  resubmit?: boolean;
  state: AttemptState;
  retryAfterSeconds?: number;
  /** URL of the container that could not be reached, with the target of a proxy's redirect. */
  containerUrl?: string;
  /** HTTP status of the container's answer, or of its job's error */
  status?: number;
  /** the container's error code */
  code?: string;
  /** Error code of the system or of undici for a failed connection. */
  errno?: string;
  /** Resources of the job whose failure ended the attempt. */
  usage?: JobUsage;
  /** the container's own details of the error */
  details?: Record<string, unknown>;
}

export interface JobToFollow extends AcceptedJob {
  /** Destinations of the outputs as the input names them; the container may ask for their URLs. */
  targets?: UploadPlace[];
}

/** Input of `encode` without the workflow's own fields. The activity presigns `s3:` URLs at each attempt. */
export type EncodeActivityInput = Omit<EncodeInput, keyof CommonInput | 'spread' | 'transcript'> & {
  /** The part of a spread encode; its URLs may be those of a store. */
  part?: EncodePart;
  /** The activity encodes nothing if the source is this one. */
  unlessSource?: SourceIdentity;
};

/** Input of `chunking` without the workflow's own fields, with its durations resolved. */
export type ChunkActivityInput = Omit<ChunkingInput, keyof CommonInput | 'resume'> & {
  chunkDuration: number;
  overlapDuration: number;
  /** Facts that the chunk list records about the run, in addition to the settings. */
  about?: Omit<ChunkListAbout, 'chunkDuration' | 'overlapDuration' | 'codec'>;
  keep?: KeptChunks;
  /** The file that the source was encoded from, if its name is like that of a chunk. */
  originalUrl?: string;
};
