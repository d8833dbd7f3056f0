import type { JobPhase } from './job.ts';

/** Where a job runs, so that whoever follows it next joins it there and starts no second one. */
export interface JobLocation {
  containerUrl: string;
  /** Unknown while the container's answer to the request is outstanding. */
  jobId?: string;
}

/** What an activity signals to its workflow (`jobProgressSignal`). */
export interface JobProgress {
  location: JobLocation;
  phase: JobPhase;
  /** 0 to 100 */
  percent: number;
  etaSeconds?: number;
}
