import { setTimeout as pause } from 'node:timers/promises';
import type { JobLocation } from '../../contract/activity.ts';
import type { WantedFile } from '../../contract/http/upload-urls.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import { ConnectionLost, ContainerAnswer, JobLost, JobSilent, OtherInstance } from './errors.ts';
import { wantedOf, type FollowedJob } from './followed-job.ts';

/** Poll interval if the container has no event stream. */
const pollIntervalMs = 1_000;

/** A container sends a view every few seconds. Comments without views keep only the connection alive. */
const silentStreamMs = 60_000;
/** A container ends a stalled job itself. The longest work without an advance, such as a store's answer, takes minutes. */
const silentJobMinutes = 30;

export interface JobToAwait {
  container: ContainerClient;
  location: JobLocation;
  attempt: Attempt;
  /** Sends upload URLs to the job; returns whether it succeeded. */
  sendUrls?(wanted: readonly WantedFile[]): Promise<boolean>;
  /** Longest time between two views of an event stream. */
  silentStreamMs?: number;
  onView(view: FollowedJob): void;
}

export type EndedJob = Exclude<FollowedJob, { state: 'running' }>;

/**
 * Waits for the end of a job. `GET /jobs/:id` decides; the event stream only reports sooner. Throws `JobLost` if the
 * container does not know the job, and `JobSilent` if the job does not advance.
 */
export async function untilJobEnded(job: JobToAwait): Promise<EndedJob> {
  const { attempt, onView, sendUrls } = job;
  for (;;) {
    const askedAtMs = performance.now();
    // A broken stream does not mean that the job is lost; a failure of this request does.
    const view = await findJob(job);
    onView(view);
    if (view.state !== 'running') return view;
    if (isSilent(attempt)) throw new JobSilent(silentJobMinutes);

    const wanted = wantedOf(view);
    const isAnswered = wanted.length === 0 || sendUrls === undefined || (await sendUrls(wanted));
    const last = isAnswered ? await followEvents(job) : undefined;
    if (last !== undefined && last.state !== 'running') return last;
    // No pause, because the job is waiting for its URLs.
    if (last !== undefined && wantedOf(last).length > 0) continue;
    const waitMs = askedAtMs + pollIntervalMs - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal: attempt.signal });
  }
}

function isSilent(attempt: Attempt): boolean {
  return attempt.ranMs() >= silentJobMinutes * 60_000;
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

async function followEvents(job: JobToAwait): Promise<FollowedJob | undefined> {
  const { container, location, attempt, onView } = job;
  let last: FollowedJob | undefined;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), job.silentStreamMs ?? silentStreamMs);
  try {
    for await (const view of container.events(location, AbortSignal.any([attempt.signal, silence.signal]))) {
      timer.refresh();
      last = view;
      onView(view);
      if (view.state !== 'running' || wantedOf(view).length > 0 || isSilent(attempt)) break;
    }
  } catch (error) {
    const isLost =
      error instanceof ConnectionLost || error instanceof ContainerAnswer || error instanceof OtherInstance;
    if (attempt.signal.aborted || !(isLost || silence.signal.aborted)) throw error;
  } finally {
    clearTimeout(timer);
  }
  return last;
}
