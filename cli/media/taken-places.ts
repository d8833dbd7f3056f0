import { entryKeys } from './same-file.ts';

/** Places that the runs of one command have written. Two names may lead to one file, as on a disk without case. */
export class TakenPlaces {
  readonly #keys = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  has(place: string): boolean {
    return entryKeys(place).some((key) => this.#keys.has(key));
  }

  add(place: string): void {
    for (const key of entryKeys(place)) this.#keys.add(key);
  }

  /** Moves one file after the other, so that no place is taken between a check and a move. */
  async inTurn<Result>(move: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(move);
    this.#last = turn.catch(() => undefined);
    return await turn;
  }
}
