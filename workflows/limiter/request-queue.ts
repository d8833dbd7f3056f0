import type { Holder } from '../../contract/limiter.ts';

export interface QueuedRequest {
  holder: Holder;
  requestId: string;
}

/** The queue as the limiter hands it to its next run: in order of arrival, neighbours of one holder in one group. */
export type QueuedGroups = { holder: Holder; requestIds: string[] }[];

/** Requests for permits, first in, first out. */
export class RequestQueue {
  /** A Map keeps the order in which its keys were added. */
  readonly #queue = new Map<string, QueuedRequest>();
  readonly #countByHolder = new Map<string, number>();

  constructor(groups: QueuedGroups) {
    for (const { holder, requestIds } of groups) for (const id of requestIds) this.add(holder, id);
  }

  get size(): number {
    return this.#queue.size;
  }

  /** A request that is queued already keeps its place. */
  add(holder: Holder, requestId: string): void {
    const key = requestKey(holder, requestId);
    if (this.#queue.has(key)) return;
    this.#queue.set(key, { holder, requestId });
    this.#countByHolder.set(holder.firstRunId, this.countOf(holder) + 1);
  }

  delete(holder: Holder, requestId: string): void {
    if (!this.#queue.delete(requestKey(holder, requestId))) return;
    const left = this.countOf(holder) - 1;
    if (left > 0) this.#countByHolder.set(holder.firstRunId, left);
    else this.#countByHolder.delete(holder.firstRunId);
  }

  deleteAllOf(holder: Holder): void {
    for (const [key, request] of this.#queue) if (isSameHolder(request.holder, holder)) this.#queue.delete(key);
    this.#countByHolder.delete(holder.firstRunId);
  }

  first(): QueuedRequest | undefined {
    return this.#queue.values().next().value;
  }

  countOf(holder: Holder): number {
    return this.#countByHolder.get(holder.firstRunId) ?? 0;
  }

  holders(): Holder[] {
    return [...new Map([...this.#queue.values()].map(({ holder }) => [holder.firstRunId, holder])).values()];
  }

  /** By a holder's first run: the place of its last request, counted from 0. */
  lastPlaces(): Map<string, number> {
    const places = new Map<string, number>();
    let place = 0;
    for (const { holder } of this.#queue.values()) places.set(holder.firstRunId, place++);
    return places;
  }

  groups(): QueuedGroups {
    const groups: QueuedGroups = [];
    for (const { holder, requestId } of this.#queue.values()) {
      const last = groups.at(-1);
      if (last !== undefined && isSameHolder(last.holder, holder)) last.requestIds.push(requestId);
      else groups.push({ holder, requestIds: [requestId] });
    }
    return groups;
  }
}

export function isSameHolder(a: Holder, b: Holder): boolean {
  return a.firstRunId === b.firstRunId;
}

function requestKey(holder: Holder, requestId: string): string {
  return `${holder.firstRunId} ${requestId}`;
}
