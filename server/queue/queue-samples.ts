import type { QueueHistory, QueueSample, QueueView } from '../../contract/server/queue.ts';

const everySeconds = 60;
const mostSamples = (24 * 3600) / everySeconds;

/** Samples of the queue over the last 24 hours. They are in memory, so a restart clears them. */
export class QueueSamples {
  readonly #read: () => Promise<QueueView>;
  readonly #samples: QueueSample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(read: () => Promise<QueueView>) {
    this.#read = read;
    this.#timer = setInterval(() => void this.#keep(), everySeconds * 1000).unref();
  }

  /** All samples, with one of the current moment at the end. */
  async history(): Promise<QueueHistory> {
    const now = await this.#sample();
    return { everySeconds, samples: [...this.#samples, now] };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #keep(): Promise<void> {
    // If Temporal does not answer, this minute has no sample.
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
