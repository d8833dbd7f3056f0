import type { JobLocation, JobProgress } from '../contract/activity.ts';
import type { FollowedJob } from './followed-job.ts';

export interface SentProgress {
  progress: JobProgress;
  atMs: number;
}

/** Each signal is some events of history for ever: one when the job is accepted, one a phase, and else few. */
const minIntervalMs = 5_000;
const minGrowthPercent = 5;

export function progressOf(job: FollowedJob, location: JobLocation): JobProgress {
  const { phase, percent, etaSeconds } = job;
  return etaSeconds === undefined ? { location, phase, percent } : { location, phase, percent, etaSeconds };
}

export function worthSending(progress: JobProgress, last: SentProgress | undefined, nowMs: number): boolean {
  if (last === undefined || progress.phase !== last.progress.phase) return true;
  return progress.percent - last.progress.percent >= minGrowthPercent && nowMs - last.atMs >= minIntervalMs;
}
