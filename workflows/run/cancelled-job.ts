import { CancellationScope, log } from '@temporalio/workflow';
import type { JobLocation } from '../../contract/activity.ts';
import { cancelJob } from '../proxies.ts';

/**
 * The running job's place, and its end when the run is cancelled. The activity is told too, but only with its next heartbeat,
 * and a job that has come to a halt has none.
 */
export class CancelledJob {
  readonly #scope = CancellationScope.current();
  #location: JobLocation | undefined;
  #ending: Promise<void> | undefined;

  constructor() {
    void this.#scope.cancelRequested.catch(() => this.#endIfCancelled());
  }

  /** Undefined where no job of ours runs. */
  moved(location: JobLocation | undefined): void {
    this.#location = location;
    // The job may have been accepted just after the cancellation.
    this.#endIfCancelled();
  }

  /** The cancelled run may close after this. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  #endIfCancelled(): void {
    const location = this.#location;
    if (!this.#scope.consideredCancelled || location?.jobId === undefined || this.#ending !== undefined) return;
    this.#ending = CancellationScope.nonCancellable(() => cancelJob(location)).catch((error: unknown) => {
      log.warn('The job could not be cancelled at its container', { location, error });
    });
  }
}
