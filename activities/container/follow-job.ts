import type { AttemptContext, JobLocation, JobToFollow } from '../../contract/activity.ts';
import type { JobResult } from '../../contract/http/job.ts';
import type { WantedFile } from '../../contract/http/upload-urls.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import { needsSigning } from '../../stores/backends.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient, ContainerClients } from './client.ts';
import { DeliveryAnswers, type DeliveryDependencies } from './delivery-answers.ts';
import { endJob } from './end-job.ts';
import { ConnectionLost, JobLost } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { type EndedJob, untilJobEnded } from './job-end.ts';
import { runAttempt } from './run-attempt.ts';

export interface FollowDependencies extends DeliveryDependencies {
  clients: ContainerClients;
}

function isSignedOnDemand(place: UploadPlace): boolean {
  return needsSigning(typeof place === 'string' ? place : place.prefix);
}

/** Follows a job to its end. Any worker can do this, so another worker takes over if this one is lost. */
export function followJobActivity(dependencies: FollowDependencies) {
  return async function followJob(job: JobToFollow, context: AttemptContext): Promise<JobResult> {
    const { clients } = dependencies;
    return runAttempt(context, clients, async (attempt) => {
      const following = new Following(job, clients, attempt, dependencies);
      return await following.untilEnded();
    });
  };
}

class Following {
  readonly #location: JobLocation;
  readonly #clients: ContainerClients;
  readonly #container: ContainerClient;
  readonly #attempt: Attempt;
  readonly #answers: DeliveryAnswers;

  constructor(
    { location, urlsExpireAtMs, targets = [] }: JobToFollow,
    clients: ContainerClients,
    attempt: Attempt,
    dependencies: DeliveryDependencies,
  ) {
    this.#location = location;
    this.#clients = clients;
    this.#container = clients(location);
    this.#attempt = attempt;
    this.#answers = new DeliveryAnswers(this.#container, location, attempt, targets, dependencies);
    // URLs that are presigned on demand have no known expiry.
    attempt.urlsExpireAtMs = urlsExpireAtMs ?? (targets.some(isSignedOnDemand) ? Infinity : undefined);
  }

  async untilEnded(): Promise<JobResult> {
    await this.#answers.abandonUploads('others');
    this.#attempt.abandonUploads = async () => this.#answers.abandonUploads('all');
    const ended = await untilJobEnded({
      container: this.#container,
      location: this.#location,
      attempt: this.#attempt,
      sendUrls: (wanted) => this.#sendUrls(wanted),
      onView: (view) => this.#attempt.observe(view, this.#location),
    }).catch(async (error: unknown) => {
      if (error instanceof JobLost) await this.#abandon();
      throw error;
    });
    return await this.#resultOf(ended);
  }

  async #resultOf(job: EndedJob): Promise<JobResult> {
    switch (job.state) {
      case 'succeeded':
        this.#answers.forgetUploads();
        return job.result;
      case 'failed':
      case 'cancelled':
        // The container has aborted the uploads if it could reach the store.
        await this.#abandon();
        throw answerOfJob(job.state, job.error);
    }
  }

  /** Cancels the job if it cannot get its URLs: it would wait in vain and occupy the container. */
  async #sendUrls(wanted: readonly WantedFile[]): Promise<boolean> {
    try {
      return await this.#answers.answer(wanted);
    } catch (error) {
      if (this.#attempt.signal.aborted || error instanceof ConnectionLost) throw error;
      await endJob(this.#clients, this.#location).catch(() => {});
      await this.#abandon();
      throw error;
    }
  }

  /** Cleans up after a job that no longer exists. */
  async #abandon(): Promise<void> {
    this.#attempt.setLocation(undefined);
    await this.#answers.abandonUploads('all');
  }
}
