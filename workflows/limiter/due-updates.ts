import type { Holder } from '../../contract/limiter.ts';
import type { LimiterState } from './limiter-state.ts';

type HolderSet = Map<string, Holder>;
type DueState = Required<Pick<LimiterState, 'pendingUpdates' | 'throttleTold' | 'refused'>>;

/**
 * Limits the size of the state. Holders beyond this number get no answer; they use the workers' shares and ask again.
 */
const maxRefusedKept = 1_000;
/** Limits the stored holders that wait for another key. The others already know when the throttle ends. */
const maxToldKept = 1_000;

/** Holders that are due an update, oldest first, and holders that must be told when a throttle ends. */
export class DueUpdates {
  readonly #due: HolderSet;
  readonly #refused: HolderSet;
  readonly #throttleTold: HolderSet;

  constructor({ pendingUpdates, throttleTold, refused = [] }: LimiterState) {
    this.#due = setOf(pendingUpdates);
    this.#refused = setOf(refused);
    this.#throttleTold = setOf(throttleTold);
  }

  /** `isQueued`: the holder is part of the state anyway. */
  state(isQueued: (holder: Holder) => boolean): DueState {
    const told = [...this.#throttleTold.values()];
    const toldElsewhere = new Set(told.filter((holder) => !isQueued(holder)).slice(-maxToldKept));
    return {
      pendingUpdates: [...this.#due.values()],
      throttleTold: told.filter((holder) => isQueued(holder) || toldElsewhere.has(holder)),
      refused: [...this.#refused.values()].slice(0, maxRefusedKept),
    };
  }

  get isEmpty(): boolean {
    return this.#due.size + this.#refused.size === 0;
  }

  add(holder: Holder): void {
    this.#due.set(holder.firstRunId, holder);
  }

  addRefusal(holder: Holder): void {
    this.#refused.set(holder.firstRunId, holder);
  }

  /** Includes holders that moved to another key and have nothing queued here. */
  addEndOfThrottle(): void {
    for (const holder of take(this.#throttleTold, Infinity)) this.add(holder);
  }

  drop({ firstRunId }: Holder): void {
    for (const holders of [this.#due, this.#refused, this.#throttleTold]) holders.delete(firstRunId);
  }

  take(most: number, isThrottled: boolean): { due: Holder[]; refused: Holder[] } {
    const due = take(this.#due, most);
    if (isThrottled) for (const holder of due) this.#throttleTold.set(holder.firstRunId, holder);
    return { due, refused: take(this.#refused, most - due.length) };
  }
}

/** Maps keep insertion order. */
function setOf(holders: readonly Holder[]): HolderSet {
  return new Map(holders.map((holder) => [holder.firstRunId, holder]));
}

function take(holders: HolderSet, most: number): Holder[] {
  const taken: Holder[] = [];
  for (const [firstRunId, holder] of holders) {
    if (taken.length >= most) break;
    taken.push(holder);
    holders.delete(firstRunId);
  }
  return taken;
}
