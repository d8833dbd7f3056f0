import { CancellationScope, log } from '@temporalio/workflow';
import type { JobLocation } from '../../contract/activity.ts';
import { cancelJob } from '../proxies.ts';

/**
 * Where the jobs of a run's steps are, so that the run can end all of them when it is cancelled or fails. The activities that
 * follow them are cancelled too, but learn of it only with their next heartbeat, and a job that hangs has none.
 */
export class RunJobs {
  readonly #scope = CancellationScope.current();
  /** By the id of the step; each step has one job at a time. */
  readonly #locations = new Map<string, JobLocation>();
  /** By container and job: each is cancelled once. */
  readonly #cancellations = new Map<string, Promise<void>>();
  #isEnding = false;

  constructor() {
    void this.#scope.cancelRequested.catch(() => this.#cancelAll());
  }

  /** Undefined where the step has no job. */
  setLocation(step: string, location: JobLocation | undefined): void {
    if (location === undefined) this.#locations.delete(step);
    else this.#locations.set(step, location);
    // A container may have accepted the job just after the run was cancelled.
    if (this.#isEnding || this.#scope.consideredCancelled) this.#cancelAll();
  }

  /** The run may close after this. */
  async end(): Promise<void> {
    this.#cancelAll();
    await Promise.all(this.#cancellations.values());
  }

  #cancelAll(): void {
    this.#isEnding = true;
    for (const location of this.#locations.values()) {
      if (location.jobId === undefined) continue;
      const key = `${location.containerUrl} ${location.jobId}`;
      if (!this.#cancellations.has(key)) this.#cancellations.set(key, cancel(location));
    }
  }
}

async function cancel(location: JobLocation): Promise<void> {
  try {
    await CancellationScope.nonCancellable(() => cancelJob(location));
  } catch (error) {
    log.warn('The job could not be cancelled at its container', { location, error });
  }
}
