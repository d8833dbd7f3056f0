import type { Holder } from '../../contract/limiter.ts';

export interface Waiting {
  holder: Holder;
  requestId: string;
}

/** In order of arrival, as the limiter hands it to its next run: neighbours of one holder name it once. */
export type QueuedGroups = { holder: Holder; requestIds: string[] }[];

/** Who waits, in order of arrival. */
export class RequestQueue {
  /** A Map keeps the order in which its keys came. */
  readonly #line = new Map<string, Waiting>();
  readonly #countByHolder = new Map<string, number>();

  constructor(groups: QueuedGroups) {
    for (const { holder, requestIds } of groups) for (const id of requestIds) this.add(holder, id);
  }

  get size(): number {
    return this.#line.size;
  }

  /** One that is there already keeps its place. */
  add(holder: Holder, requestId: string): void {
    const key = requestKey(holder, requestId);
    if (this.#line.has(key)) return;
    this.#line.set(key, { holder, requestId });
    this.#countByHolder.set(holder.firstRunId, this.countOf(holder) + 1);
  }

  delete(holder: Holder, requestId: string): void {
    if (!this.#line.delete(requestKey(holder, requestId))) return;
    const left = this.countOf(holder) - 1;
    if (left > 0) this.#countByHolder.set(holder.firstRunId, left);
    else this.#countByHolder.delete(holder.firstRunId);
  }

  deleteAllOf(holder: Holder): void {
    for (const [key, waiting] of this.#line) if (isSame(waiting.holder, holder)) this.#line.delete(key);
    this.#countByHolder.delete(holder.firstRunId);
  }

  first(): Waiting | undefined {
    return this.#line.values().next().value;
  }

  countOf(holder: Holder): number {
    return this.#countByHolder.get(holder.firstRunId) ?? 0;
  }

  holders(): Holder[] {
    return [...new Map([...this.#line.values()].map(({ holder }) => [holder.firstRunId, holder])).values()];
  }

  /** Of each holder, by its first run's id: at which place its last request stands, counted from 0. */
  lastPlaces(): Map<string, number> {
    const places = new Map<string, number>();
    let place = 0;
    for (const { holder } of this.#line.values()) places.set(holder.firstRunId, place++);
    return places;
  }

  groups(): QueuedGroups {
    const groups: QueuedGroups = [];
    for (const { holder, requestId } of this.#line.values()) {
      const last = groups.at(-1);
      if (last !== undefined && isSame(last.holder, holder)) last.requestIds.push(requestId);
      else groups.push({ holder, requestIds: [requestId] });
    }
    return groups;
  }
}

export function isSame(a: Holder, b: Holder): boolean {
  return a.firstRunId === b.firstRunId;
}

function requestKey(holder: Holder, requestId: string): string {
  return `${holder.firstRunId} ${requestId}`;
}
