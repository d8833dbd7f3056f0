import { setTimeout as pause } from 'node:timers/promises';
import type { JobResult } from '../../contract/http/job.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import { ConnectionLost, ContainerAnswer, JobLost } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { advancesOf, type FollowedJob } from './followed-job.ts';
import { jobProgress } from './job-progress.ts';

/** How often the job is asked for where the container offers no stream. */
const pollIntervalMs = 1_000;

/** Follows an accepted job to its end. `GET /jobs/:id` decides; the event stream only tells sooner. */
export async function followJob(container: ContainerClient, jobId: string, attempt: Attempt): Promise<JobResult> {
  const location = { containerUrl: container.url, jobId };
  attempt.setLocation(location);
  // A worker that takes over must know of the job from now on.
  attempt.heartbeat();

  let advances = -1;
  const observe = (job: FollowedJob) => {
    // Only where ffmpeg has advanced: heartbeats must stop when it hangs.
    if (advancesOf(job) > advances) {
      advances = advancesOf(job);
      attempt.heartbeat(job);
    }
    attempt.signalProgress(jobProgress(attempt.step, job, location));
  };

  for (;;) {
    const askedAtMs = performance.now();
    // A stream that broke off does not mean that the job is lost; this request failing too does.
    const job = await container.job(jobId, attempt.signal);
    if (job === undefined) {
      attempt.setLocation(undefined);
      throw new JobLost();
    }
    observe(job);
    if (job.state !== 'running') return resultOf(job, attempt);

    const last = await followEvents(container, jobId, attempt.signal, observe);
    if (last !== undefined && last.state !== 'running') return resultOf(last, attempt);
    const waitMs = askedAtMs + pollIntervalMs - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal: attempt.signal });
  }
}

/** The last view that the stream brought, if any. */
async function followEvents(
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
      attempt.setLocation(undefined);
      throw answerOfJob(job.state, job.error);
  }
}
