/** Milliseconds before the second, third and fourth try in a row that brings nothing. A workflow waits for the end of longer outages. */
const delaysMs = [500, 2000, 5000];

/** Of one download. Each try that brings a byte begins anew, and a server that sends little by little must not keep a job for ever. */
const mostTries = 500;

/** When a transfer that broke off is tried again. */
export class ResumeTries {
  #fruitless = 0;
  #tries = 0;
  #bytes = 0;

  /** Milliseconds to wait, or undefined where it is given up. `bytes` have come so far. */
  next(bytes: number): number | undefined {
    if (bytes > this.#bytes) this.#fruitless = 0;
    this.#bytes = bytes;
    this.#tries += 1;
    const delayMs = this.#tries > mostTries ? undefined : delaysMs[this.#fruitless];
    this.#fruitless += 1;
    return delayMs;
  }
}
