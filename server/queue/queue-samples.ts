import type { QueueHistory, QueueSample, QueueView } from '../../contract/server/queue.ts';

const everySeconds = 60;
/** A day. */
const mostSamples = (24 * 3600) / everySeconds;

/** How long the line was in the last day, in the memory of this process: a restart begins anew. */
export class QueueSamples {
  readonly #read: () => Promise<QueueView>;
  readonly #samples: QueueSample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(read: () => Promise<QueueView>) {
    this.#read = read;
    this.#timer = setInterval(() => void this.#keep(), everySeconds * 1000).unref();
  }

  /** The last sample is of now. */
  async history(): Promise<QueueHistory> {
    const now = await this.#sample();
    return { everySeconds, samples: [...this.#samples, now] };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #keep(): Promise<void> {
    // Where Temporal does not answer there is a gap.
    const sample = await this.#sample().catch(() => undefined);
    if (sample === undefined) return;
    this.#samples.push(sample);
    this.#samples.splice(0, this.#samples.length - mostSamples);
  }

  async #sample(): Promise<QueueSample> {
    const { backlog, busy, ready } = await this.#read();
    return { at: new Date().toISOString(), backlog, busy, ready };
  }
}
