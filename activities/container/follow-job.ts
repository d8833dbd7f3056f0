import type { AttemptContext, JobToFollow } from '../../contract/activity.ts';
import type { JobResult } from '../../contract/http/job.ts';
import type { WantedFile } from '../../contract/http/upload-urls.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import { needsSigning } from '../../stores/backends.ts';
import { isTakenOver } from '../confirm-activity.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClients } from './client.ts';
import { DeliveryAnswers, type DeliveryDependencies } from './delivery-answers.ts';
import { endJob } from './end-job.ts';
import { ConnectionLost, type ContainerAnswer, JobLost, JobSilent } from './errors.ts';
import { answerOfJob } from './failures.ts';
import type { FollowedJob } from './followed-job.ts';
import { untilJobEnded } from './job-end.ts';
import { runAttempt } from './run-attempt.ts';

export interface FollowDependencies extends DeliveryDependencies {
  clients: ContainerClients;
}

function isSignedOnDemand(place: UploadPlace): boolean {
  return needsSigning(typeof place === 'string' ? place : place.prefix);
}

/** The targets that the error may concern. Containers of older versions do not name the output. */
function targetsOf({ facts }: ContainerAnswer, targets: readonly UploadPlace[]): readonly UploadPlace[] {
  const output = facts.details?.['output'];
  return typeof output === 'number' ? targets.slice(output, output + 1) : targets;
}

/** Follows a job to its end. Any worker can do this, so another worker takes over if this one is lost. */
export function followJobActivity(dependencies: FollowDependencies) {
  return async function followJob(job: JobToFollow, context: AttemptContext): Promise<JobResult> {
    return runAttempt(context, dependencies.clients, async (attempt) => await follow(job, attempt, dependencies));
  };
}

async function follow(
  { location, signed, urlsExpireAtMs, targets = [] }: JobToFollow,
  attempt: Attempt,
  { clients, ...dependencies }: FollowDependencies,
): Promise<JobResult> {
  const container = clients(location);
  const answers = new DeliveryAnswers({ container, location, attempt, places: targets, ...dependencies });
  const older =
    urlsExpireAtMs === undefined ? {} : { readsExpireAtMs: urlsExpireAtMs, writesExpireAtMs: urlsExpireAtMs };
  /** Cleans up after a job that no longer exists. */
  const abandon = async (): Promise<void> => {
    attempt.set({ location: undefined });
    await answers.abandonUploads('all');
  };
  /** Cancels the job if it cannot get its URLs: it would wait in vain and occupy the container. */
  const sendUrls = async (wanted: readonly WantedFile[]): Promise<boolean> => {
    try {
      return await answers.answer(wanted);
    } catch (error) {
      if (attempt.signal.aborted || error instanceof ConnectionLost || isTakenOver(error)) throw error;
      await endJob(clients, location).catch(() => {});
      await abandon();
      throw error;
    }
  };
  await answers.abandonUploads('others');
  attempt.abandonUploads = async () => answers.abandonUploads('all');
  const onView = (view: FollowedJob): void => attempt.observe(view, location);
  const ended = await untilJobEnded({ container, location, attempt, sendUrls, onView }).catch(
    async (error: unknown) => {
      if (error instanceof JobSilent) await endJob(clients, location).catch(() => {});
      if (error instanceof JobLost || error instanceof JobSilent) await abandon();
      throw error;
    },
  );
  if (ended.state === 'succeeded') {
    answers.forgetUploads();
    return ended.result;
  }
  // The container has aborted the uploads if it could reach the store.
  await abandon();
  const failure = answerOfJob(ended.state, ended.error);
  // URLs that are presigned on demand have no known expiry.
  const isOnDemand = targetsOf(failure, targets).some(isSignedOnDemand);
  attempt.signed = { ...(isOnDemand && { writesExpireAtMs: Infinity }), ...(signed ?? older) };
  throw failure;
}
