import { EventEmitter } from 'node:events';
import { randomUUID } from 'node:crypto';
import type { ChunkResult } from '../../contract/http/chunk.ts';
import type { EncodeResult } from '../../contract/http/encode.ts';
import type { JobKind, JobView } from '../../contract/http/job.ts';
import type { Admission, Release } from './slots.ts';
import { ServiceError, asServiceError } from '../errors.ts';
import { createJobProgress, type JobProgress } from './progress.ts';
import { errorFacts, type Logger } from '../log.ts';
import type { Metrics } from './metrics.ts';
import type { Scratch } from './scratch.ts';

/** Contract 1.2: finished jobs are remembered for two hours or the last 1,000; we keep the last 1,000. */
const rememberedJobs = 1000;

export type JobResult = EncodeResult | ChunkResult;

/** What a job's work is given; its folder is removed when the work has ended, however it ended. */
export interface JobContext {
  jobId: string;
  folder: string;
  signal: AbortSignal;
  log: Logger;
  advance: JobProgress['advance'];
}

export type JobWork = (context: JobContext) => Promise<JobResult>;

type Ending =
  | { state: 'succeeded'; result: JobResult }
  | { state: 'failed'; error: ServiceError }
  | { state: 'cancelled'; error: ServiceError };

export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  view(): JobView;
  /** Settles when the job has ended and its slot is free; never rejects. */
  readonly ended: Promise<Ending>;
  /** Calls back after each advance and at the end, until the returned function is called. */
  onChange(listener: () => void): () => void;
  cancel(reason?: ServiceError): void;
  /** A client that waits. When the last of them lets go of a running job that nobody asked to run on alone, it is cancelled. */
  hold(): Release;
  /** The job goes on without anybody waiting. */
  keep(): void;
}

export interface JobRequest {
  kind: JobKind;
  /** Two requests with one idempotency key are the same when their fingerprints are. */
  fingerprint: string;
  idempotencyKey: string | undefined;
  work: JobWork;
}

export type Submitted =
  { kind: 'started' | 'joined'; job: Job } | { kind: 'busy' } | { kind: 'draining' } | { kind: 'key_reused' };

const endWords = { succeeded: 'Completed', failed: 'Failed', cancelled: 'Cancelled' } as const;
const gerunds: Record<JobKind, string> = { encode: 'encoding', chunk: 'chunking' };

interface JobDeps {
  admission: Admission;
  scratch: Scratch;
  metrics: Metrics;
  log: Logger;
  jobTimeoutSeconds: number;
}

export interface Jobs {
  submit(request: JobRequest): Submitted;
  /** From now on nothing new is started; what runs can still be joined. */
  drain(): void;
  readonly isDraining: boolean;
  /** Oldest first. */
  all(): Job[];
  get(jobId: string): Job | undefined;
  active(): Job[];
}

function startJob(request: JobRequest, id: string, release: Release, deps: JobDeps): Job {
  const { kind, idempotencyKey } = request;
  const { admission, scratch, metrics, jobTimeoutSeconds } = deps;
  // The key tells whose job it is: a workflow's holds its run's id.
  const log = deps.log.child({ jobId: id, kind, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
  const startedAt = new Date();
  const abort = new AbortController();
  const changes = new EventEmitter().setMaxListeners(0);
  const progress = createJobProgress(kind, startedAt.getTime(), () => changes.emit('change'));
  let end: { ending: Ending; at: Date } | undefined;
  let holders = 0;
  let kept = false;

  const perform = async (): Promise<JobResult> => {
    const folder = await scratch.createFolder(id);
    try {
      return await request.work({ jobId: id, folder, signal: abort.signal, log, advance: progress.advance });
    } finally {
      await scratch.removeFolder(folder);
    }
  };

  const settle = (ending: Ending): Ending => {
    release();
    end = { ending, at: new Date() };
    const activeJobs = admission.activeIds.size;
    const elapsedMs = end.at.getTime() - startedAt.getTime();
    metrics.jobEnded(kind, ending.state, elapsedMs / 1000);
    const facts = { activeJobs, state: ending.state, elapsedMs };
    if (ending.state !== 'succeeded') {
      const { code, message } = ending.error;
      Object.assign(facts, {
        code,
        error: message,
        ...(ending.error.cause === undefined ? {} : { cause: errorFacts(ending.error.cause) }),
      });
    }
    log.info(facts, `[JOB_END] ${endWords[ending.state]} ${gerunds[kind]} job ${id}. Active jobs: ${activeJobs}`);
    changes.emit('change');
    return ending;
  };

  const runToEnd = async (): Promise<Ending> => {
    const deadline = setTimeout(() => {
      abort.abort(new ServiceError('timeout', `The job took longer than the limit of ${jobTimeoutSeconds} seconds.`));
    }, jobTimeoutSeconds * 1000);
    try {
      return { state: 'succeeded', result: await perform() };
    } catch (thrown) {
      const error = asServiceError(abort.signal.aborted ? abort.signal.reason : thrown);
      if (error.code === 'cancelled') return { state: 'cancelled', error };
      if (error.code === 'internal') log.error(errorFacts(thrown), 'A job met a bug');
      return { state: 'failed', error };
    } finally {
      clearTimeout(deadline);
    }
  };

  log.info(
    { activeJobs: admission.activeIds.size },
    `[JOB_START] Started ${gerunds[kind]} job ${id}. Active jobs: ${admission.activeIds.size}`,
  );
  const ended = runToEnd().then(settle);

  const cancel = (reason = new ServiceError('cancelled', 'The job was cancelled.')): void => abort.abort(reason);

  return {
    id,
    kind,
    ended,
    cancel,
    view() {
      const facts = { jobId: id, kind, ...progress.view(end !== undefined), startedAt: startedAt.toISOString() };
      if (end === undefined) return { ...facts, state: 'running' };
      const endedAt = end.at.toISOString();
      const { ending } = end;
      return ending.state === 'succeeded'
        ? { ...facts, percent: 100, state: ending.state, endedAt, result: ending.result }
        : { ...facts, state: ending.state, endedAt, error: ending.error.toBody(id) };
    },
    onChange(listener) {
      changes.on('change', listener);
      return () => void changes.off('change', listener);
    },
    hold() {
      holders += 1;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holders -= 1;
        if (holders === 0 && !kept && end === undefined) {
          cancel(new ServiceError('cancelled', 'The job was cancelled because its client closed the connection.'));
        }
      };
    },
    keep() {
      kept = true;
    },
  };
}

/** Starts jobs where there is a slot, joins those that run, remembers those that ended. */
export function createJobs(deps: JobDeps): Jobs {
  const jobs = new Map<string, Job>();
  const byKey = new Map<string, { fingerprint: string; job: Job }>();

  let isDraining = false;

  const forgetOldest = (): void => {
    for (const [id, job] of jobs) {
      if (jobs.size <= rememberedJobs + deps.admission.limit) return;
      if (deps.admission.activeIds.has(id)) continue;
      jobs.delete(id);
      for (const [key, remembered] of byKey) if (remembered.job === job) byKey.delete(key);
    }
  };

  return {
    submit(request) {
      const { idempotencyKey: key, fingerprint } = request;
      const known = key === undefined ? undefined : byKey.get(key);
      if (known !== undefined) {
        if (known.fingerprint !== fingerprint) return { kind: 'key_reused' };
        const { state } = known.job.view();
        if (state === 'running' || state === 'succeeded') return { kind: 'joined', job: known.job };
      }
      if (isDraining) return { kind: 'draining' };
      const id = randomUUID();
      const release = deps.admission.acquire(id);
      if (release === undefined) return { kind: 'busy' };
      const job = startJob(request, id, release, deps);
      jobs.set(id, job);
      if (key !== undefined) byKey.set(key, { fingerprint, job });
      forgetOldest();
      return { kind: 'started', job };
    },
    drain() {
      isDraining = true;
    },
    get isDraining() {
      return isDraining;
    },
    all: () => [...jobs.values()],
    get: (jobId) => jobs.get(jobId),
    active: () => [...jobs.values()].filter(({ id }) => deps.admission.activeIds.has(id)),
  };
}
