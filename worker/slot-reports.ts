import type { Client } from '@temporalio/client';
import { limiterSignals, type WorkerSlots } from '../contract/limiter.ts';

/** A limiter forgets a worker that is silent for two and a half intervals. */
export const reportIntervalMs = 60_000;
const requestTimeoutMs = 5_000;

/**
 * Reports to the limiters how many calls this worker can make at once, so that they grant only permits that a worker
 * can use.
 */
export class SlotReports {
  readonly #client: Client;
  readonly #limiterIds: readonly string[];
  readonly #slots: WorkerSlots;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, limiterIds: readonly string[], slots: WorkerSlots) {
    this.#client = client;
    this.#limiterIds = limiterIds;
    this.#slots = slots;
  }

  start(): void {
    void this.#report(this.#slots);
    this.#timer = setInterval(() => void this.#report(this.#slots), reportIntervalMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#report({ ...this.#slots, slots: 0 });
  }

  /** The worker that starts a limiter reports to it at once; the others follow with their next report. */
  async #report(slots: WorkerSlots): Promise<void> {
    const { workflow } = this.#client;
    await this.#client.withDeadline(Date.now() + requestTimeoutMs, () =>
      Promise.allSettled(this.#limiterIds.map((id) => workflow.getHandle(id).signal(limiterSignals.slots, slots))),
    );
  }
}
