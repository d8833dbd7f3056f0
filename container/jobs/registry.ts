import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { ServiceError } from '../errors.ts';
import { startJob, type Job, type JobDeps, type JobStart } from './job.ts';
import { rememberJob, type RememberedJob } from './remembered-job.ts';
import type { Leases } from './leases.ts';

/** Finished jobs that are remembered (docs/reference/container-api.md, "One job"). */
const mostRemembered = 1000;
/** Limit for all remembered jobs. The result of a chunk job takes 130 bytes a chunk. */
const mostRememberedBytes = 64 * 1024 ** 2;
/** A worker asks for a job's end within this time, even if it takes over from a dead worker. */
const reportedWithinMs = 30_000;
/**
 * A worker asks for its new job at once. If the answer is lost, the worker repeats its request within minutes. If the
 * run has ended by then, nobody else would ever end the job.
 */
const askedWithinMs = 15 * 60_000;

export interface JobSubmission extends Pick<JobStart, 'kind' | 'idempotencyKey' | 'work'> {
  /** Requests with one idempotency key are equal if their fingerprints are. */
  fingerprint: string;
  /** Other jobs run beside those with a slot and are never refused as busy. */
  needsSlot: boolean;
  /** Lease of the request; a request without one takes any free slot. */
  lease: string | undefined;
}

export type SubmitOutcome =
  | { kind: 'started' | 'joined'; job: Job }
  /** A job of the same key is being cancelled: the caller submits again when it has ended. */
  | { kind: 'ending'; job: Job }
  | { kind: Refusal }
  | { kind: 'key_reused' };

/** Why no job can start now. `lease_ended`: it is not, or no longer, the turn of the lease. */
export type Refusal = 'busy' | 'draining' | 'lease_ended';

export interface Jobs {
  submit(submission: JobSubmission): SubmitOutcome;
  /** Why any such request would be refused; undefined if the body decides. */
  refusalOf(submission: Pick<JobSubmission, 'idempotencyKey' | 'lease'>): Refusal | undefined;
  /** Starts no further job; running jobs can still be joined. */
  drain(): void;
  readonly isDraining: boolean;
  /** Records that a client has received the end of the job. */
  reported(jobId: string): void;
  /** Ends the job if no request asks for it soon. */
  expectRequest(jobId: string): void;
  /** Settles when every successful job was reported to its worker, or the time to ask has passed. */
  allReported(): Promise<unknown>;
  /** Jobs, oldest first. */
  all(): Job[];
  get(jobId: string): Job | undefined;
  active(): Job[];
}

/** Starts jobs while there is a slot, joins running ones and remembers ended ones. */
export function createJobs(deps: JobDeps & { leases: Leases; unaskedMs?: number }): Jobs {
  /** Running and remembered jobs, oldest first. */
  const jobs = new Map<string, Job>();
  const byKey = new Map<string, { fingerprint: string; jobId: string }>();
  /** Remembered jobs, oldest first. */
  const remembered = new Map<string, { key: string | undefined; bytes: number }>();
  let rememberedBytes = 0;
  let isDraining = false;
  const reports = new EventEmitter();
  /** Successful jobs with promises of their report. An unreported job would be repeated elsewhere. */
  const unreported = new Map<string, Promise<unknown>>();

  /** Timers of jobs that nobody has asked for yet. */
  const unasked = new Map<string, NodeJS.Timeout>();

  const noteRequest = (id: string): void => {
    clearTimeout(unasked.get(id));
    unasked.delete(id);
  };

  const awaitReport = (id: string): void => {
    const reported = once(reports, id, { signal: AbortSignal.timeout(reportedWithinMs) }).catch(() => {});
    unreported.set(
      id,
      reported.then(() => unreported.delete(id)),
    );
  };

  const forget = (id: string, { key, bytes }: { key: string | undefined; bytes: number }): void => {
    rememberedBytes -= bytes;
    remembered.delete(id);
    jobs.delete(id);
    // A later job may have the same key.
    if (key !== undefined && byKey.get(key)?.jobId === id) byKey.delete(key);
  };

  const remember = (job: RememberedJob, key: string | undefined): void => {
    const { id, bytes } = job;
    jobs.set(id, job);
    remembered.set(id, { key, bytes });
    rememberedBytes += bytes;
    for (const [oldestId, oldest] of remembered) {
      if (remembered.size <= mostRemembered && rememberedBytes <= mostRememberedBytes) return;
      forget(oldestId, oldest);
    }
  };

  return {
    refusalOf({ idempotencyKey: key, lease }) {
      if (key !== undefined && byKey.has(key)) return undefined;
      if (isDraining) return 'draining';
      if (lease !== undefined && !deps.leases.isGranted(lease)) return 'lease_ended';
      return deps.slots.remaining > 0 ? undefined : 'busy';
    },
    submit({ fingerprint, needsSlot, lease, ...start }) {
      const { idempotencyKey: key } = start;
      const known = key === undefined ? undefined : byKey.get(key);
      const job = known && jobs.get(known.jobId);
      if (job !== undefined) {
        if (known?.fingerprint !== fingerprint) return { kind: 'key_reused' };
        noteRequest(job.id);
        if (job.isEnding) return { kind: 'ending', job };
        if (job.state === 'running' || job.state === 'succeeded') return { kind: 'joined', job };
      }
      if (isDraining) return { kind: 'draining' };
      if (needsSlot && lease !== undefined && !deps.leases.isGranted(lease)) return { kind: 'lease_ended' };
      const id = randomUUID();
      const release = needsSlot ? deps.slots.acquire(id) : undefined;
      if (needsSlot && release === undefined) return { kind: 'busy' };
      if (needsSlot && lease !== undefined) deps.leases.use(lease, id);
      const started = startJob({ ...start, id, release }, deps);
      jobs.set(id, started);
      if (key !== undefined) byKey.set(key, { fingerprint, jobId: id });
      const seeToEnd = async (): Promise<void> => {
        const ended = await started.ended;
        noteRequest(id);
        remember(rememberJob(ended), key);
        if (ended.state === 'succeeded' && lease !== undefined) awaitReport(id);
      };
      void seeToEnd();
      return { kind: 'started', job: started };
    },
    drain() {
      isDraining = true;
    },
    get isDraining() {
      return isDraining;
    },
    expectRequest(jobId) {
      const { unaskedMs = askedWithinMs } = deps;
      const minutes = Math.round(unaskedMs / 60_000);
      const expire = (): void =>
        jobs.get(jobId)?.cancel(new ServiceError('timeout', `Nobody asked for the job within ${minutes} minutes.`));
      unasked.set(jobId, setTimeout(expire, unaskedMs).unref());
    },
    reported: (jobId) => void reports.emit(jobId),
    allReported: () => Promise.all(unreported.values()),
    all: () => [...jobs.values()],
    get(jobId) {
      noteRequest(jobId);
      return jobs.get(jobId);
    },
    active: () => [...jobs.values()].filter(({ id }) => deps.slots.activeIds.has(id)),
  };
}
