import { setTimeout as pause } from 'node:timers/promises';
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import { ConnectionLost, ContainerAnswer, JobLost } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { advancesOf, type FollowedJob, type JobResult } from './followed-job.ts';
import { progressOf } from './job-progress.ts';

/** Where there is no stream to be had, the job is asked for this often. */
const pollIntervalMs = 1_000;

/** Follows an accepted job up to its end: `GET /jobs/:id` is the truth, the event stream brings it sooner. */
export async function followJob(container: ContainerClient, jobId: string, attempt: Attempt): Promise<JobResult> {
  const location = { containerUrl: container.url, jobId };
  attempt.moveTo(location);
  // A worker that takes over must know of the job from now on.
  attempt.heartbeat();

  let advances = -1;
  const observe = (job: FollowedJob) => {
    // Only what ffmpeg has really done is a sign of life: a hung one must not look alive.
    if (advancesOf(job) > advances) {
      advances = advancesOf(job);
      attempt.heartbeat(job);
    }
    attempt.tell(progressOf(job, location));
  };

  for (;;) {
    const askedAtMs = performance.now();
    // A stream that broke off is no verdict on the job; only this question failing too is.
    const job = await container.job(jobId, attempt.signal);
    if (job === undefined) {
      attempt.moveTo(undefined);
      throw new JobLost();
    }
    observe(job);
    if (job.state !== 'running') return resultOf(job, attempt);

    const last = await lastOfStream(container, jobId, attempt.signal, observe);
    if (last !== undefined && last.state !== 'running') return resultOf(last, attempt);
    const waitMs = askedAtMs + pollIntervalMs - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal: attempt.signal });
  }
}

async function lastOfStream(
  container: ContainerClient,
  jobId: string,
  signal: AbortSignal,
  observe: (job: FollowedJob) => void,
): Promise<FollowedJob | undefined> {
  let last: FollowedJob | undefined;
  try {
    for await (const job of container.events(jobId, signal)) {
      last = job;
      observe(job);
      if (job.state !== 'running') break;
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost || error instanceof ContainerAnswer)) throw error;
  }
  return last;
}

function resultOf(job: Exclude<FollowedJob, { state: 'running' }>, attempt: Attempt): JobResult {
  switch (job.state) {
    case 'succeeded':
      return job.result;
    case 'failed':
    case 'cancelled':
      attempt.moveTo(undefined);
      throw answerOfJob(job.state, job.error);
  }
}
