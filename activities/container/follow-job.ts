import { setTimeout as pause } from 'node:timers/promises';
import type { JobResult } from '../../contract/http/job.ts';
import type { WantedFile } from '../../contract/http/upload-urls.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import type { DeliveryAnswers } from './delivery-answers.ts';
import { endJob } from './end-job.ts';
import { ConnectionLost, ContainerAnswer, JobLost } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { advancesOf, wantedOf, type FollowedJob } from './followed-job.ts';
import { jobProgress } from './job-progress.ts';

/** How often the job is asked for where the container offers no stream. */
const pollIntervalMs = 1_000;

/** Follows an accepted job to its end. `GET /jobs/:id` decides; the event stream only tells sooner. */
export async function followJob(
  container: ContainerClient,
  jobId: string,
  attempt: Attempt,
  answers: DeliveryAnswers,
): Promise<JobResult> {
  const location = { containerUrl: container.url, jobId };
  attempt.setLocation(location);
  // A worker that takes over must know of the job from now on.
  attempt.heartbeat();
  await answers.abandonUploads('others');
  attempt.abandonUploads = async () => answers.abandonUploads('all');

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
      await answers.abandonUploads('all');
      throw new JobLost();
    }
    observe(job);
    if (job.state !== 'running') return resultOf(job, attempt, answers);

    const wanted = wantedOf(job);
    const isAnswered = wanted.length === 0 || (await tellPlaces(wanted, container, jobId, attempt, answers));
    const last = isAnswered ? await followEvents(container, jobId, attempt.signal, observe) : undefined;
    if (last !== undefined && last.state !== 'running') return resultOf(last, attempt, answers);
    // At once: the job waits for it.
    if (last !== undefined && wantedOf(last).length > 0) continue;
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
      if (job.state !== 'running' || wantedOf(job).length > 0) break;
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost || error instanceof ContainerAnswer)) throw error;
  }
  return last;
}

async function resultOf(
  job: Exclude<FollowedJob, { state: 'running' }>,
  attempt: Attempt,
  answers: DeliveryAnswers,
): Promise<JobResult> {
  switch (job.state) {
    case 'succeeded':
      answers.forgetUploads();
      return job.result;
    case 'failed':
    case 'cancelled':
      attempt.setLocation(undefined);
      // The container has done so, if it could reach the store.
      await answers.abandonUploads('all');
      throw answerOfJob(job.state, job.error);
  }
}

/** Where that cannot be told, the job is ended: it would wait for it in vain, and keep the container. */
async function tellPlaces(
  wanted: readonly WantedFile[],
  container: ContainerClient,
  jobId: string,
  attempt: Attempt,
  answers: DeliveryAnswers,
): Promise<boolean> {
  try {
    return await answers.answer(wanted);
  } catch (error) {
    if (attempt.signal.aborted || error instanceof ConnectionLost) throw error;
    await endJob(container, jobId).catch(() => {});
    attempt.setLocation(undefined);
    await answers.abandonUploads('all');
    throw error;
  }
}
