import { retryDelaysMs } from '../../process/retry.ts';

/** Limit for one download. Each byte received resets the delays, and a server that drips bytes must not hold a job forever. */
const mostTries = 500;

/** Decides when a broken download is resumed. */
export class ResumeTries {
  #fruitless = 0;
  #tries = 0;
  #bytes = 0;

  /** Milliseconds to wait, or undefined to give up. `bytes` is the number of bytes received so far. */
  next(bytes: number): number | undefined {
    if (bytes > this.#bytes) this.#fruitless = 0;
    this.#bytes = bytes;
    this.#tries += 1;
    const delayMs = this.#tries > mostTries ? undefined : retryDelaysMs.transfer[this.#fruitless];
    this.#fruitless += 1;
    return delayMs;
  }
}
