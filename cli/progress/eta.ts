import type { WorkflowStatus } from '../../contract/workflow/status.ts';

/** Window of the estimate: an average over the whole run would mix the fast download with the slow encode. */
const windowMs = 20_000;
/** Shortest time for a useful estimate. */
const minWindowMs = 3_000;

export class Eta {
  #samples: { atMs: number; percent: number }[] = [];

  /** Seconds left; undefined without enough samples. */
  estimate(nowMs: number, percent: number): number | undefined {
    const last = this.#samples.at(-1);
    if (last !== undefined && percent < last.percent) this.#samples = [];
    if (last?.percent !== percent) this.#samples.push({ atMs: nowMs, percent });
    // The last sample before the window stays, so that slow progress has two samples.
    while ((this.#samples[1]?.atMs ?? nowMs) < nowMs - windowMs) this.#samples.shift();
    const [first] = this.#samples;
    if (first === undefined || nowMs - first.atMs < minWindowMs || percent <= first.percent) return undefined;
    return ((100 - percent) * (nowMs - first.atMs)) / (percent - first.percent) / 1000;
  }

  reset(): void {
    this.#samples = [];
  }
}

export function estimateSecondsLeft(status: WorkflowStatus, eta: Eta): number | undefined {
  // Waits for permits do not follow past progress, so the workflow's own estimate applies.
  if (status.phase === 'process') return status.estimatedDelaySeconds;
  if (status.state === 'running') return eta.estimate(Date.now(), status.percent);
  eta.reset();
  return undefined;
}
