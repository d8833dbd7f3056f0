import { CancellationScope, log } from '@temporalio/workflow';
import type { AttemptState, JobLocation } from '../../contract/activity.ts';
import { cancelFormerJob, cancelJob } from '../proxies.ts';

/** A step looks at its source before it has a job of its own. */
type JobsOfStep = 'location' | 'probing' | 'former';

/**
 * Where the jobs of a run's steps are, so that the run can end all of them when it is cancelled or fails. The activities that
 * follow them are cancelled too, but learn of it only with their next heartbeat.
 */
export class RunJobs {
  readonly #scope = CancellationScope.current();
  /** By the id of the step; each step has one job at a time. */
  readonly #locations = new Map<string, JobLocation>();
  /** Jobs that were replaced while they were out of sight. */
  readonly #former: JobLocation[] = [];
  /** By container and job: each is cancelled once. */
  readonly #cancellations = new Map<string, Promise<void>>();
  #isEnding = false;

  constructor() {
    void this.#scope.cancelRequested.catch(() => this.#cancelAll());
  }

  setJobs(step: string, { location, probing, former = [] }: Pick<AttemptState, JobsOfStep>): void {
    const current = location ?? probing;
    if (current === undefined) this.#locations.delete(step);
    else this.#locations.set(step, current);
    this.#former.push(...former.filter(({ jobId }) => !this.#former.some((known) => known.jobId === jobId)));
    // A container may have accepted the job just after the run was cancelled.
    if (this.#isEnding || this.#scope.consideredCancelled) this.#cancelAll();
  }

  /** The run may close after this, however it ends. */
  async end(): Promise<void> {
    this.#cancelAll();
    await Promise.all(this.#cancellations.values());
  }

  #cancelAll(): void {
    this.#isEnding = true;
    for (const location of this.#locations.values()) this.#cancel(location, cancelJob);
    for (const location of this.#former) this.#cancel(location, cancelFormerJob);
  }

  #cancel(location: JobLocation, activity: typeof cancelJob): void {
    const key = `${location.containerUrl} ${location.jobId}`;
    if (this.#cancellations.has(key)) return;
    const cancelled = CancellationScope.nonCancellable(() => activity(location)).catch((error: unknown) =>
      log.warn('The job could not be cancelled at its container', { location, error }),
    );
    this.#cancellations.set(key, cancelled);
  }
}
