import type { RunDetails, RunView } from '../../contract/server/run.ts';
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

/** State and place of each job of a segment, in words. */
export function segmentJobs({ jobs }: Spread, containers: RunDetails['containers'] = {}): SegmentJob[] {
  const texts = progressTexts.segments;
  return jobs.map(({ segment, isCopy, state, percent }) => {
    const container = containers[`segment-${segment}${isCopy ? 'b' : ''}`];
    const isPlaced = state === 'running' && container !== undefined;
    const doing = state === 'running' ? texts.running(Math.round(percent)) : texts[state];
    return {
      name: texts.name(segment + 1, isCopy),
      facts: [doing, ...(isPlaced ? [texts.at(container)] : [])].join(' '),
    };
  });
}
