import { setTimeout as pause } from 'node:timers/promises';
import type { AttemptContext, JobLocation, JobToFollow } from '../../contract/activity.ts';
import type { JobResult } from '../../contract/http/job.ts';
import type { WantedFile } from '../../contract/http/upload-urls.ts';
import { isS3Url } from '../storage/s3-url.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient, ContainerClients } from './client.ts';
import { DeliveryAnswers, type DeliveryDependencies } from './delivery-answers.ts';
import { endJob } from './end-job.ts';
import { ConnectionLost, ContainerAnswer, JobLost, OtherInstance } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { wantedOf, type FollowedJob } from './followed-job.ts';
import { runAttempt } from './run-attempt.ts';

/** How often the job is asked for where the container offers no stream. */
const pollIntervalMs = 1_000;

export interface FollowDependencies extends DeliveryDependencies {
  clients: ContainerClients;
}

/** Follows a job to its end, wherever it runs: any worker may do so, and another takes over where this one is lost. */
export function followJobActivity(dependencies: FollowDependencies) {
  return async function followJob(job: JobToFollow, context: AttemptContext): Promise<JobResult> {
    const { clients } = dependencies;
    return runAttempt(context, clients, async (attempt) => {
      const following = new Following(job, clients, attempt, dependencies);
      return await following.untilEnded();
    });
  };
}

/** One job while this worker follows it. */
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
    const targetOf = ({ output }: Pick<WantedFile, 'output'>): string => targets[output] ?? '';
    this.#answers = new DeliveryAnswers(this.#container, location, attempt, targetOf, dependencies);
    // What is signed on demand has no end that is known now.
    attempt.urlsExpireAtMs = urlsExpireAtMs ?? (targets.some(isS3Url) ? Infinity : undefined);
  }

  /** `GET /jobs/:id` decides; the event stream only tells sooner. */
  async untilEnded(): Promise<JobResult> {
    await this.#answers.abandonUploads('others');
    this.#attempt.abandonUploads = async () => this.#answers.abandonUploads('all');
    for (;;) {
      const askedAtMs = performance.now();
      // A stream that broke off does not mean that the job is lost; this request failing too does.
      const job = await this.#find();
      this.#attempt.observe(job, this.#location);
      if (job.state !== 'running') return this.#resultOf(job);

      const wanted = wantedOf(job);
      const isAnswered = wanted.length === 0 || (await this.#tellPlaces(wanted));
      const last = isAnswered ? await this.#followEvents() : undefined;
      if (last !== undefined && last.state !== 'running') return this.#resultOf(last);
      // At once: the job waits for it.
      if (last !== undefined && wantedOf(last).length > 0) continue;
      const waitMs = askedAtMs + pollIntervalMs - performance.now();
      if (waitMs > 0) await pause(waitMs, undefined, { signal: this.#attempt.signal });
    }
  }

  async #find(): Promise<FollowedJob> {
    try {
      const job = await this.#container.job(this.#location, this.#attempt.signal);
      if (job !== undefined) return job;
    } catch (error) {
      if (!(error instanceof OtherInstance)) throw error;
    }
    await this.#abandon();
    throw new JobLost();
  }

  /** The last view that the stream brought, if any. */
  async #followEvents(): Promise<FollowedJob | undefined> {
    let last: FollowedJob | undefined;
    try {
      for await (const job of this.#container.events(this.#location, this.#attempt.signal)) {
        last = job;
        this.#attempt.observe(job, this.#location);
        if (job.state !== 'running' || wantedOf(job).length > 0) break;
      }
    } catch (error) {
      const isLost =
        error instanceof ConnectionLost || error instanceof ContainerAnswer || error instanceof OtherInstance;
      if (!isLost) throw error;
    }
    return last;
  }

  async #resultOf(job: Exclude<FollowedJob, { state: 'running' }>): Promise<JobResult> {
    switch (job.state) {
      case 'succeeded':
        this.#answers.forgetUploads();
        return job.result;
      case 'failed':
      case 'cancelled':
        // The container has ended the uploads, if it could reach the store.
        await this.#abandon();
        throw answerOfJob(job.state, job.error);
    }
  }

  /** Where that cannot be told, the job is ended: it would wait for it in vain, and keep the container. */
  async #tellPlaces(wanted: readonly WantedFile[]): Promise<boolean> {
    try {
      return await this.#answers.answer(wanted);
    } catch (error) {
      if (this.#attempt.signal.aborted || error instanceof ConnectionLost) throw error;
      await endJob(this.#clients, this.#location).catch(() => {});
      await this.#abandon();
      throw error;
    }
  }

  /** The job is gone. */
  async #abandon(): Promise<void> {
    this.#attempt.setLocation(undefined);
    await this.#answers.abandonUploads('all');
  }
}
