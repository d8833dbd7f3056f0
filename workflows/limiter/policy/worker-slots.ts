import type { WorkerSlots } from '../../../contract/limiter.ts';

/** What a worker last reported, and when. */
export interface ReportedSlots extends WorkerSlots {
  atMs: number;
}

/** A worker that was killed tells nobody. Longer than two reports may be apart, one of them lost. */
const validMs = 150_000;

export function recordSlots(known: readonly ReportedSlots[], report: WorkerSlots, nowMs: number): ReportedSlots[] {
  const others = dropOldSlots(known, nowMs).filter(({ workerId }) => workerId !== report.workerId);
  return report.slots > 0 ? [...others, { ...report, atMs: nowMs }] : others;
}

export function dropOldSlots(known: readonly ReportedSlots[], nowMs: number): ReportedSlots[] {
  return known.filter(({ atMs }) => atMs > nowMs - validMs);
}

/** How many calls all workers can make at once; undefined where none has reported. */
export function countSlots(known: readonly ReportedSlots[]): number | undefined {
  return known.length === 0 ? undefined : known.reduce((sum, { slots }) => sum + slots, 0);
}
