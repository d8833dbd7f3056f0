import type { Holder } from '../../contract/limiter.ts';
import { packedBytes } from './packed-requests.ts';

export interface QueuedRequest {
  holder: Holder;
  requestId: string;
}

/** Queue passed to the next run: in order of arrival, consecutive requests of one holder grouped. */
export type QueuedGroups = { holder: Holder; requestIds: string[] }[];

interface NumberedRequest extends QueuedRequest {
  /** Sequence number among all requests. */
  number: number;
}

interface WaitingHolder {
  holder: Holder;
  requests: Map<string, NumberedRequest>;
  lastNumber: number;
  /** Upper bound of the holder's size in the state. */
  bytes: number;
}

/** Size of the lists that reference a holder, in addition to its two ids. */
const bytesPerHolder = 40;
/** The part of a 2 MiB payload that the queue may use; the hourly window and the permits need the rest. */
const maxBytes = 1_500_000;
/** Limits the time to load the queue. */
const maxRequests = 400_000;
/** Up to this length, places are exact; beyond it they are estimated. */
const maxCounted = 1_000;

/** First-in, first-out queue of permit requests. Each operation takes constant time. */
export class RequestQueue {
  /** Sets keep insertion order. */
  readonly #queue = new Set<NumberedRequest>();
  readonly #holders = new Map<string, WaitingHolder>();
  readonly #holderByWorkflow = new Map<string, Holder>();
  #added = 0;
  #bytes = 0;

  constructor(groups: QueuedGroups) {
    for (const { holder, requestIds } of groups) this.add(holder, requestIds);
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Whether the queue has room for these requests. A holder that is already queued always has room. */
  hasRoomFor(holder: Holder, requestIds: readonly string[]): boolean {
    if (this.#holders.has(holder.firstRunId)) return true;
    const bytes = this.#bytes + holderBytes(holder) + packedBytes(requestIds);
    return bytes <= maxBytes && this.#queue.size + requestIds.length <= maxRequests;
  }

  /** Adds requests; those already queued keep their place. */
  add(holder: Holder, requestIds: readonly string[]): void {
    const waiting = this.#holders.get(holder.firstRunId) ?? this.#newHolder(holder);
    // All requests of a holder belong to its current run.
    waiting.holder.runId = holder.runId;
    const added = requestIds.filter((requestId) => !waiting.requests.has(requestId));
    if (added.length === 0) return;
    const bytes = packedBytes(added) + (waiting.requests.size === 0 ? waiting.bytes : 0);
    waiting.bytes = waiting.requests.size === 0 ? bytes : waiting.bytes + bytes;
    this.#bytes += bytes;
    this.#holders.set(holder.firstRunId, waiting);
    this.#holderByWorkflow.set(holder.workflowId, holder);
    for (const requestId of added) {
      this.#added += 1;
      const request = { holder: waiting.holder, requestId, number: this.#added };
      waiting.requests.set(requestId, request);
      this.#queue.add(request);
    }
    waiting.lastNumber = this.#added;
  }

  delete(holder: Holder, requestId: string): void {
    const waiting = this.#holders.get(holder.firstRunId);
    const request = waiting?.requests.get(requestId);
    if (waiting === undefined || request === undefined) return;
    waiting.requests.delete(requestId);
    this.#queue.delete(request);
    if (waiting.requests.size === 0) this.#forget(waiting);
  }

  deleteAllOf(holder: Holder): void {
    const waiting = this.#holders.get(holder.firstRunId);
    if (waiting === undefined) return;
    for (const request of waiting.requests.values()) this.#queue.delete(request);
    this.#forget(waiting);
  }

  first(): QueuedRequest | undefined {
    return this.#queue.values().next().value;
  }

  countOf(holder: Holder): number {
    return this.#holders.get(holder.firstRunId)?.requests.size ?? 0;
  }

  get holderCount(): number {
    return this.#holders.size;
  }

  /** Holders in the order of their first requests. */
  holders(): Holder[] {
    const holders = new Map<string, Holder>();
    for (const { holder } of this.#queue) {
      if (!holders.has(holder.firstRunId)) holders.set(holder.firstRunId, holder);
    }
    return [...holders.values()];
  }

  /** The holder queued under this workflow id. */
  holderOf(workflowId: string): Holder | undefined {
    return this.#holderByWorkflow.get(workflowId);
  }

  /** Place of each holder's last request, counted from 0. */
  lastPlaces(holders: readonly Holder[]): Map<string, number> {
    const places = new Map<string, number>();
    if (this.#queue.size <= maxCounted) {
      let place = 0;
      for (const { holder } of this.#queue) places.set(holder.firstRunId, place++);
      return places;
    }
    // Withdrawn requests in between count too.
    const firstNumber = this.#queue.values().next().value?.number ?? 0;
    for (const { firstRunId } of holders) {
      const waiting = this.#holders.get(firstRunId);
      if (waiting !== undefined)
        places.set(firstRunId, Math.min(waiting.lastNumber - firstNumber, this.#queue.size - 1));
    }
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

  #newHolder(holder: Holder): WaitingHolder {
    return { holder: { ...holder }, requests: new Map(), lastNumber: 0, bytes: holderBytes(holder) };
  }

  #forget({ holder, bytes }: WaitingHolder): void {
    this.#bytes -= bytes;
    this.#holders.delete(holder.firstRunId);
    if (this.#holderByWorkflow.get(holder.workflowId)?.firstRunId === holder.firstRunId) {
      this.#holderByWorkflow.delete(holder.workflowId);
    }
  }
}

export function isSameHolder(a: Holder, b: Holder): boolean {
  return a.firstRunId === b.firstRunId;
}

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
function holderBytes({ workflowId, firstRunId }: Holder): number {
  const isAscii = /^[\x20-\x7e]*$/.test(workflowId);
  return workflowId.length * (isAscii ? 1 : 3) + firstRunId.length + bytesPerHolder;
}
