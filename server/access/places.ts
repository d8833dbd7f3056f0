import { ProblemError } from '../problem-error.ts';
import { anybodyHere, type Caller } from './caller.ts';

/** Of all places, those that one owner may have: who asks without end keeps nobody else out. */
const shareOfOwner = 1 / 4;

/** What the server does for so many at a time, since each of them keeps a connection. */
export class Places {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Gives the release of the place. `what` is done there: `sources are being looked at`. */
  take(caller: Caller, what: string): () => void {
    const { id, owner } = caller;
    // All tokens of an owner count together; one without an owner may be that of a proxy, and is one all the same.
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
  return new ProblemError('too_many_requests', `${fact} already. Retry-After says when to come back.`);
}
