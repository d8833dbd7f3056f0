/** Delivers letters one at a time, so that all arrive in order; what comes up meanwhile goes with the next one. */
export class Outbox {
  readonly #hasMail: () => boolean;
  readonly #deliver: () => Promise<void>;
  #underWay = false;

  constructor(hasMail: () => boolean, deliver: () => Promise<void>) {
    this.#hasMail = hasMail;
    this.#deliver = deliver;
  }

  get isUnderWay(): boolean {
    return this.#underWay;
  }

  /** To be called whenever there is mail. Settles when there is none left, or at once where a former call sees to it. */
  async run(): Promise<void> {
    if (this.#underWay) return;
    this.#underWay = true;
    try {
      // All that is asked for in this turn belongs into one letter.
      await Promise.resolve();
      while (this.#hasMail()) await this.#deliver();
    } finally {
      // In the very turn that found no mail: what came up a turn later would be left lying.
      this.#underWay = false;
    }
  }
}
