import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { startJob, type Job, type JobDeps, type JobStart } from './job.ts';
import { rememberJob, type RememberedJob } from './remembered-job.ts';
import type { Leases } from './leases.ts';

/** Finished jobs that are remembered (docs/reference/container-api.md, "One job"). */
const mostRemembered = 1000;
/** Of them all together. A chunk job's result has 130 bytes a chunk, so these are fewer than 1,000 only where each has hundreds. */
const mostRememberedBytes = 64 * 1024 ** 2;
/** After the end of a job its worker asks within so long, also where another has to take over from one that died. */
const toldWithinMs = 30_000;

export interface JobSubmission extends Pick<JobStart, 'kind' | 'idempotencyKey' | 'work'> {
  /** Two requests with one idempotency key are the same when their fingerprints are. */
  fingerprint: string;
  /** Others run beside those that do, and are never refused for business. */
  needsSlot: boolean;
  /** Under which the request comes; without one it takes a free slot as it finds it. */
  lease: string | undefined;
}

export type SubmitOutcome =
  | { kind: 'started' | 'joined'; job: Job }
  /** Of the same key, and being cancelled: submit again when it has ended. */
  | { kind: 'ending'; job: Job }
  | { kind: Refusal }
  | { kind: 'key_reused' };

/** Why no job can be started now; `lease_ended`: it is not, or no longer, the turn of the lease. */
export type Refusal = 'busy' | 'draining' | 'lease_ended';

export interface Jobs {
  submit(submission: JobSubmission): SubmitOutcome;
  /** Why such a request would be refused whatever its body is; undefined where the body decides. */
  refusalOf(submission: Pick<JobSubmission, 'idempotencyKey' | 'lease'>): Refusal | undefined;
  /** From now on nothing new is started; what runs can still be joined. */
  drain(): void;
  readonly isDraining: boolean;
  /** A client has been told how the job ended. */
  told(jobId: string): void;
  /** Settles when the workers of all jobs that succeeded have been told, or had time to ask. */
  allTold(): Promise<unknown>;
  /** Oldest first. */
  all(): Job[];
  get(jobId: string): Job | undefined;
  active(): Job[];
}

/** Starts jobs where there is a slot, joins those that run, remembers those that ended. */
export function createJobs(deps: JobDeps & { leases: Leases }): Jobs {
  /** Running and remembered, oldest first. */
  const jobs = new Map<string, Job>();
  const byKey = new Map<string, { fingerprint: string; jobId: string }>();
  /** Oldest first. */
  const remembered = new Map<string, { key: string | undefined; bytes: number }>();
  let rememberedBytes = 0;
  let isDraining = false;
  const tellings = new EventEmitter();
  /** Jobs that succeeded, with what settles when their workers have been told; without them they would be done again elsewhere. */
  const untold = new Map<string, Promise<unknown>>();

  const awaitTelling = (id: string): void => {
    const told = once(tellings, id, { signal: AbortSignal.timeout(toldWithinMs) }).catch(() => {});
    untold.set(
      id,
      told.then(() => untold.delete(id)),
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
        if (job.isEnding) return { kind: 'ending', job };
        if (job.state === 'running' || job.state === 'succeeded') return { kind: 'joined', job };
      }
      if (isDraining) return { kind: 'draining' };
      if (needsSlot && lease !== undefined && !deps.leases.isGranted(lease)) return { kind: 'lease_ended' };
      const id = randomUUID();
      const release = needsSlot ? deps.slots.acquire(id) : () => {};
      if (release === undefined) return { kind: 'busy' };
      if (needsSlot && lease !== undefined) deps.leases.use(lease, id);
      const started = startJob({ ...start, id, release }, deps);
      jobs.set(id, started);
      if (key !== undefined) byKey.set(key, { fingerprint, jobId: id });
      const seeToEnd = async (): Promise<void> => {
        const ended = await started.ended;
        remember(rememberJob(ended), key);
        if (ended.state === 'succeeded' && lease !== undefined) awaitTelling(id);
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
    told: (jobId) => void tellings.emit(jobId),
    allTold: () => Promise.all(untold.values()),
    all: () => [...jobs.values()],
    get: (jobId) => jobs.get(jobId),
    active: () => [...jobs.values()].filter(({ id }) => deps.slots.activeIds.has(id)),
  };
}
