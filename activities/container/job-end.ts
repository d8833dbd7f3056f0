import { setTimeout as pause } from 'node:timers/promises';
import type { JobLocation } from '../../contract/activity.ts';
import type { WantedFile } from '../../contract/http/upload-urls.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import { ConnectionLost, ContainerAnswer, JobLost, OtherInstance } from './errors.ts';
import { wantedOf, type FollowedJob } from './followed-job.ts';

/** How often the job is asked for where the container offers no stream. */
const pollIntervalMs = 1_000;

export interface JobToAwait {
  container: ContainerClient;
  location: JobLocation;
  attempt: Attempt;
  /** Answers the job that asks where its files go; whether it has been told. */
  tellPlaces?(wanted: readonly WantedFile[]): Promise<boolean>;
  onView(view: FollowedJob): void;
}

export type EndedJob = Exclude<FollowedJob, { state: 'running' }>;

/** `GET /jobs/:id` decides; the event stream only tells sooner. Throws `JobLost` where the container does not have the job. */
export async function untilJobEnded(job: JobToAwait): Promise<EndedJob> {
  const { attempt, onView, tellPlaces } = job;
  for (;;) {
    const askedAtMs = performance.now();
    // A stream that broke off does not mean that the job is lost; this request failing too does.
    const view = await findJob(job);
    onView(view);
    if (view.state !== 'running') return view;

    const wanted = wantedOf(view);
    const isAnswered = wanted.length === 0 || tellPlaces === undefined || (await tellPlaces(wanted));
    const last = isAnswered ? await followEvents(job) : undefined;
    if (last !== undefined && last.state !== 'running') return last;
    // At once: the job waits for it.
    if (last !== undefined && wantedOf(last).length > 0) continue;
    const waitMs = askedAtMs + pollIntervalMs - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal: attempt.signal });
  }
}

async function findJob({ container, location, attempt }: JobToAwait): Promise<FollowedJob> {
  try {
    const view = await container.job(location, attempt.signal);
    if (view !== undefined) return view;
  } catch (error) {
    if (!(error instanceof OtherInstance)) throw error;
  }
  throw new JobLost();
}

/** The last view that the stream brought, if any. */
async function followEvents({ container, location, attempt, onView }: JobToAwait): Promise<FollowedJob | undefined> {
  let last: FollowedJob | undefined;
  try {
    for await (const view of container.events(location, attempt.signal)) {
      last = view;
      onView(view);
      if (view.state !== 'running' || wantedOf(view).length > 0) break;
    }
  } catch (error) {
    const isLost =
      error instanceof ConnectionLost || error instanceof ContainerAnswer || error instanceof OtherInstance;
    if (!isLost) throw error;
  }
  return last;
}
