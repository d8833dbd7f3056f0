import type { RunDetails, RunView } from '../../contract/server/run.ts';
import { segmentId, soundId } from '../../contract/spread-settings.ts';
import { progressTexts } from '../progress-texts.ts';

type Spread = NonNullable<RunView['spread']>;

/** A segment in the row. */
export interface SegmentCell {
  kind: 'done' | 'running' | 'waiting' | 'later';
  percent: number;
}

/** The row of a run's segments. If a segment has two jobs, the job with more progress counts. */
export function segmentCells({ segments, done, running, waiting, jobs }: Spread): SegmentCell[] {
  // Segments start in order.
  const begun = done + running + waiting;
  return Array.from({ length: segments }, (_, index) => {
    const own = jobs.filter(({ segment }) => segment === index);
    if (own.length === 0) return index < begun ? { kind: 'done', percent: 100 } : { kind: 'later', percent: 0 };
    const isRunning = own.some(({ state }) => state === 'running');
    const percent = Math.max(...own.map((job) => job.percent));
    return { kind: isRunning ? 'running' : 'waiting', percent };
  });
}

export interface SegmentJob {
  name: string;
  facts: string;
}

/** State and place of each job of the sound and of a segment, in words. */
export function segmentJobs({ jobs, soundJobs }: Spread, containers: RunDetails['containers'] = {}): SegmentJob[] {
  const texts = progressTexts.segments;
  const named = [
    ...soundJobs.map((job) => ({ ...job, step: soundId, name: texts.sound })),
    ...jobs.map((job) => ({ ...job, step: segmentId(job.segment), name: texts.segment(job.segment + 1) })),
  ];
  return named.map(({ step, name, isCopy, state, percent }) => {
    const container = containers[`${step}${isCopy ? 'b' : ''}`];
    const isPlaced = state === 'running' && container !== undefined;
    const doing = state === 'running' ? texts.running(Math.round(percent)) : texts[state];
    return {
      name: isCopy ? texts.second(name) : name,
      facts: [doing, ...(isPlaced ? [texts.at(container)] : [])].join(' '),
    };
  });
}
