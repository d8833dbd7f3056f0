/** Values read from ended runs, by run id. An ended run never changes, so each is read once. A failed read is repeated. */
export class RunCache<Value> {
  readonly #mostRuns: number;
  readonly #known = new Map<string, Promise<Value>>();

  /** Beyond `mostRuns`, the cache drops the runs that it has had longest. */
  constructor(mostRuns: number) {
    this.#mostRuns = mostRuns;
  }

  async get(runId: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(runId);
    if (known !== undefined) return await known;
    const reading = read();
    this.#known.set(runId, reading);
    // The next caller must not get this error again.
    reading.catch(() => this.#known.delete(runId));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#mostRuns) break;
      this.#known.delete(oldest);
    }
    return await reading;
  }
}
