import { randomUUID } from 'node:crypto';
import { startJob, type Job, type JobDeps, type JobStart } from './job.ts';

/** Finished jobs are remembered for two hours or the last 1,000 (docs/contract.md, "Endpoints"); these are the last 1,000. */
const rememberedJobs = 1000;

export interface JobSubmission extends Pick<JobStart, 'kind' | 'idempotencyKey' | 'work'> {
  /** Two requests with one idempotency key are the same when their fingerprints are. */
  fingerprint: string;
}

export type SubmitOutcome =
  | { kind: 'started' | 'joined'; job: Job }
  /** Of the same key, and being cancelled: submit again when it has ended. */
  | { kind: 'ending'; job: Job }
  | { kind: 'busy' }
  | { kind: 'draining' }
  | { kind: 'key_reused' };

export interface Jobs {
  submit(submission: JobSubmission): SubmitOutcome;
  /** From now on nothing new is started; what runs can still be joined. */
  drain(): void;
  readonly isDraining: boolean;
  /** Oldest first. */
  all(): Job[];
  get(jobId: string): Job | undefined;
  active(): Job[];
}

/** Starts jobs where there is a slot, joins those that run, remembers those that ended. */
export function createJobs(deps: JobDeps): Jobs {
  const jobs = new Map<string, Job>();
  const byKey = new Map<string, { fingerprint: string; job: Job }>();

  let isDraining = false;

  const forgetOldest = (): void => {
    for (const [id, job] of jobs) {
      if (jobs.size <= rememberedJobs + deps.slots.limit) return;
      if (deps.slots.activeIds.has(id)) continue;
      jobs.delete(id);
      for (const [key, remembered] of byKey) if (remembered.job === job) byKey.delete(key);
    }
  };

  return {
    submit({ fingerprint, ...start }) {
      const { idempotencyKey: key } = start;
      const known = key === undefined ? undefined : byKey.get(key);
      if (known !== undefined) {
        if (known.fingerprint !== fingerprint) return { kind: 'key_reused' };
        if (known.job.isEnding) return { kind: 'ending', job: known.job };
        const { state } = known.job.view();
        if (state === 'running' || state === 'succeeded') return { kind: 'joined', job: known.job };
      }
      if (isDraining) return { kind: 'draining' };
      const id = randomUUID();
      const release = deps.slots.acquire(id);
      if (release === undefined) return { kind: 'busy' };
      const job = startJob({ ...start, id, release }, deps);
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
    active: () => [...jobs.values()].filter(({ id }) => deps.slots.activeIds.has(id)),
  };
}
