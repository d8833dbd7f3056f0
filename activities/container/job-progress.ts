import type { JobLocation, JobProgress } from '../../contract/activity.ts';
import type { FollowedJob } from './followed-job.ts';

export interface SentProgress {
  progress: JobProgress;
  atMs: number;
}

/** Each signal is some events of history for ever: one when the job is accepted, one a phase that lasts, and else few. */
const minPhaseIntervalMs = 500;
const minIntervalMs = 5_000;
const minGrowthPercent = 5;

export function progressOf(job: FollowedJob, location: JobLocation): JobProgress {
  const { phase, percent, etaSeconds } = job;
  return etaSeconds === undefined ? { location, phase, percent } : { location, phase, percent, etaSeconds };
}

export function worthSending(progress: JobProgress, last: SentProgress | undefined, nowMs: number): boolean {
  if (last === undefined) return true;
  const passedMs = nowMs - last.atMs;
  if (progress.phase !== last.progress.phase) return passedMs >= minPhaseIntervalMs;
  return passedMs >= minIntervalMs && progress.percent - last.progress.percent >= minGrowthPercent;
}
