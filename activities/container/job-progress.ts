import { definedFields } from '../../contract/defined-fields.ts';
import type { JobLocation, JobProgress } from '../../contract/activity.ts';
import type { FollowedJob } from './followed-job.ts';

export interface SentProgress {
  progress: JobProgress;
  atMs: number;
}

/**
 * Each signal adds events to the run's history, so only the first progress, lasting phases and larger steps are sent.
 */
const minPhaseIntervalMs = 500;
const minIntervalMs = 5_000;
const minGrowthPercent = 5;

export function jobProgress(step: string, job: FollowedJob, location: JobLocation): JobProgress {
  const { phase, percent, etaSeconds, speed, video } = job;
  return { step, location, phase, percent, ...definedFields({ etaSeconds, speed, video }) };
}

export function isWorthSending(progress: JobProgress, last: SentProgress | undefined, nowMs: number): boolean {
  if (last === undefined) return true;
  const passedMs = nowMs - last.atMs;
  if (progress.phase !== last.progress.phase) return passedMs >= minPhaseIntervalMs;
  return passedMs >= minIntervalMs && progress.percent - last.progress.percent >= minGrowthPercent;
}
