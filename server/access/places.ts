import { ProblemError } from '../problem-error.ts';
import { anybodyHere, type Caller } from './caller.ts';

/** Share of all places that one owner may hold, so that no owner can lock out the others. */
const shareOfOwner = 1 / 4;

/** A limit on concurrent work that keeps a connection open, such as event streams. */
export class Places {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the function that releases the place. `what` completes the error's sentence: `sources are being inspected`. */
  take(caller: Pick<Caller, 'id' | 'owner'>, what: string): () => void {
    const { id, owner } = caller;
    // All tokens of an owner share its places. A token without an owner counts by itself.
    const name = owner === undefined ? id : `owner ${owner}`;
    const most = caller === anybodyHere ? this.#most : Math.floor(this.#most * shareOfOwner);
    const own = this.#taken.get(name) ?? 0;
    if (own >= most) throw tooMany(`${own} ${what} for you`);
    if (this.#count >= this.#most) throw tooMany(`${this.#count} ${what}`);
    this.#change(name, 1);
    return () => this.#change(name, -1);
  }

  #change(name: string, by: 1 | -1): void {
    const own = (this.#taken.get(name) ?? 0) + by;
    if (own === 0) this.#taken.delete(name);
    else this.#taken.set(name, own);
    this.#count += by;
  }
}

function tooMany(fact: string): ProblemError {
  return new ProblemError('too_many_requests', `${fact} already. Retry after the seconds in Retry-After.`);
}
