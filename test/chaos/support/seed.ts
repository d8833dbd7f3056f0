import { setTimeout as delay } from 'node:timers/promises';
import { randomNumbers } from '../../support/random.ts';

/** Random numbers that repeat for the same seed. */
export class Seed {
  readonly value: number;
  readonly #random: () => number;

  /** Prints the seed; `CHAOS_SEED` repeats a failure. */
  constructor() {
    const given = Number(process.env['CHAOS_SEED']);
    this.value = Number.isInteger(given) && given > 0 ? given : Math.floor(Math.random() * 2 ** 31);
    this.#random = randomNumbers(this.value);
    console.log(`Chaos seed: ${this.value} (CHAOS_SEED=${this.value} repeats it)`);
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<T>(among: readonly T[]): T {
    const picked = among[this.below(among.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** Waits for a random time. */
  async moment(withinMs = 300): Promise<void> {
    await delay(this.below(withinMs));
  }
}
