import type { WorkerSlots } from '../../../contract/limiter.ts';

export interface ReportedSlots extends WorkerSlots {
  atMs: number;
}

/** A killed worker sends no report. The period is longer than two report intervals, so one lost report does no harm. */
const validMs = 150_000;

export function recordSlots(known: readonly ReportedSlots[], report: WorkerSlots, nowMs: number): ReportedSlots[] {
  const others = dropOldSlots(known, nowMs).filter(({ workerId }) => workerId !== report.workerId);
  return report.slots > 0 ? [...others, { ...report, atMs: nowMs }] : others;
}

export function dropOldSlots(known: readonly ReportedSlots[], nowMs: number): ReportedSlots[] {
  return known.filter(({ atMs }) => atMs > nowMs - validMs);
}

/** Number of concurrent calls that all workers can make; undefined if none has reported. */
export function countSlots(known: readonly ReportedSlots[]): number | undefined {
  return known.length === 0 ? undefined : known.reduce((sum, { slots }) => sum + slots, 0);
}
