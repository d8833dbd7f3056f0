import type { WorkflowStatus } from '../../contract/workflow/status.ts';

/** By the pace of the last seconds: a pace over the whole would take the quick fetch for that of the slow encode. */
const windowMs = 20_000;
/** Too early a guess would only mislead. */
const minWindowMs = 3_000;

export class Eta {
  #samples: { atMs: number; percent: number }[] = [];

  /** Seconds left, as far as anybody can know. */
  after(nowMs: number, percent: number): number | undefined {
    const last = this.#samples.at(-1);
    if (last !== undefined && percent < last.percent) this.#samples = [];
    if (last?.percent !== percent) this.#samples.push({ atMs: nowMs, percent });
    // The one before the window stays, so that a slow pace keeps two.
    while ((this.#samples[1]?.atMs ?? nowMs) < nowMs - windowMs) this.#samples.shift();
    const [first] = this.#samples;
    if (first === undefined || nowMs - first.atMs < minWindowMs || percent <= first.percent) return undefined;
    return ((100 - percent) * (nowMs - first.atMs)) / (percent - first.percent) / 1000;
  }

  reset(): void {
    this.#samples = [];
  }
}

export function etaOf(status: WorkflowStatus, eta: Eta, nowMs = Date.now()): number | undefined {
  // Waits for permits keep no pace; the workflow knows of them.
  if (status.phase === 'process') return status.estimatedDelaySeconds;
  if (status.state === 'running') return eta.after(nowMs, status.percent);
  eta.reset();
  return undefined;
}
