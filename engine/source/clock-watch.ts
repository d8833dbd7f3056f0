/**
 * Units that are decoded before an earlier one and shown before the last one shown. A single one is a damaged
 * timestamp, not another clock. If one recording follows another on the same clock, its first units are decoded early
 * but shown in turn.
 */
const fewestUnits = 2;

/** A picture or a piece of sound. Times are in ticks. */
export interface TimedUnit {
  shown: number;
  decoded: number;
  /** Position in the file or in a list. */
  at: number;
}

export interface ClockJump {
  /** Last unit on the old clock. */
  before: TimedUnit;
  /** First unit on the new clock. */
  after: TimedUnit;
}

/** Finds the places where the clock of consecutive units restarts or jumps. */
export class ClockWatch {
  readonly #longestGap: number;
  readonly #shortestStep: number;
  #last: TimedUnit | undefined;
  #latestShown = -Infinity;
  #early: TimedUnit[] = [];

  /** A longer gap, in ticks, is a jump. A shorter step back, in ticks, is none. */
  constructor(longestGap: number, shortestStep = 0) {
    this.#longestGap = longestGap;
    this.#shortestStep = shortestStep;
  }

  /** Returns the jump that this unit proves. */
  next(unit: TimedUnit): ClockJump | undefined {
    const last = this.#last;
    if (last !== undefined && unit.decoded <= last.decoded - this.#shortestStep) {
      // Cameras repeat the time of the previous picture. That is not a step back.
      const isEarly = unit.shown < this.#latestShown || (this.#early.length > 0 && unit.shown === this.#latestShown);
      if (isEarly) this.#early.push(unit);
      const [after] = this.#early;
      if (after === undefined || this.#early.length < fewestUnits) return undefined;
      this.#goOn(unit, Math.max(...this.#early.map(({ shown }) => shown)));
      return { before: last, after };
    }
    const jumps = last !== undefined && unit.decoded - last.decoded > this.#longestGap;
    this.#goOn(unit, jumps ? unit.shown : Math.max(this.#latestShown, unit.shown));
    return jumps ? { before: last, after: unit } : undefined;
  }

  #goOn(unit: TimedUnit, latestShown: number): void {
    this.#last = unit;
    this.#latestShown = latestShown;
    this.#early = [];
  }
}
