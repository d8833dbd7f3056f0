/** Random numbers that can be repeated: the same for the same seed. */
export class Seed {
  readonly value: number;
  #state: number;

  /** Prints the seed, so that a failure can be repeated; `CHAOS_SEED` gives it back. */
  constructor() {
    const given = Number(process.env['CHAOS_SEED']);
    this.value = Number.isInteger(given) && given > 0 ? given : Math.floor(Math.random() * 2 ** 31);
    this.#state = this.value;
    console.log(`Chaos seed: ${this.value} (CHAOS_SEED=${this.value} repeats it)`);
  }

  /** 0 to 1, without the 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(among: readonly T[]): T {
    const picked = among[this.below(among.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** A moment that no test has chosen. */
  async moment(withinMs = 300): Promise<void> {
    const ms = this.below(withinMs);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
