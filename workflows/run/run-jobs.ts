import { CancellationScope, log } from '@temporalio/workflow';
import type { AttemptState, JobLocation } from '../../contract/activity.ts';
import { cancelFormerJob, cancelJob } from '../proxies.ts';

/** `probing`: the job that inspects the source before the step has its own job. */
type JobsOfStep = 'location' | 'probing' | 'former';

/**
 * The locations of the run's jobs, so that the run can cancel all of them when it is cancelled or fails. The activities
 * that follow the jobs are cancelled too, but learn about it only with their next heartbeat.
 */
export class RunJobs {
  readonly #scope = CancellationScope.current();
  /** One job per step, by step id. */
  readonly #locations = new Map<string, JobLocation>();
  /** Replaced jobs whose container was unreachable. */
  readonly #former: JobLocation[] = [];
  /** Cancellations by container and job, because each job is cancelled only once. */
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
    // A container may accept the job just after the run was cancelled.
    if (this.#isEnding || this.#scope.consideredCancelled) this.#cancelAll();
  }

  /** Cancels the job of a step that nobody follows any more. */
  async cancelJobOf(step: string): Promise<void> {
    const location = this.#locations.get(step);
    if (location === undefined) return;
    this.#locations.delete(step);
    await this.#cancel(location, cancelJob);
  }

  /** Cancels the jobs of all steps, although the run continues. */
  async cancelRunning(): Promise<void> {
    for (const location of this.#locations.values()) void this.#cancel(location, cancelJob);
    await Promise.all(this.#cancellations.values());
  }

  /** Cancels all jobs; the run may close afterwards. */
  async end(): Promise<void> {
    this.#cancelAll();
    await Promise.all(this.#cancellations.values());
  }

  #cancelAll(): void {
    this.#isEnding = true;
    for (const location of this.#locations.values()) void this.#cancel(location, cancelJob);
    for (const location of this.#former) void this.#cancel(location, cancelFormerJob);
  }

  #cancel(location: JobLocation, activity: typeof cancelJob): Promise<void> {
    const key = `${location.containerUrl} ${location.jobId}`;
    const known = this.#cancellations.get(key);
    if (known !== undefined) return known;
    const cancelled = CancellationScope.nonCancellable(() => activity(location)).catch((error: unknown) =>
      log.warn('The job could not be cancelled at its container', { location, error }),
    );
    this.#cancellations.set(key, cancelled);
    return cancelled;
  }
}
