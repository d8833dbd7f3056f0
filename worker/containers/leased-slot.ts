import type { ActivitySlotInfo, CustomSlotSupplier, SlotPermit, SlotReserveContext } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerClient } from '../../activities/container/client.ts';
import type { ContainerSlot } from '../../activities/container/container-slot.ts';
import { ConnectionLost, ContainerAnswer } from '../../activities/container/errors.ts';
import type { ContainerPlace } from '../../contract/activity.ts';
import type { SlotView } from '../../contract/http/slot.ts';
import type { ContainerPresence } from './presence.ts';

/** `no_leases`: of a container that does not know them, which is taken as free. */
type Standing = SlotView['state'] | 'no_leases' | 'out_of_reach';

/** What a reserved slot stands on. */
type Hold =
  { kind: 'lease'; id: string; release: AbortController } | { kind: 'no_leases' } | { kind: 'last_resort'; id: string };

/** After an answer that a container gives at once. */
const retryMs = 1_000;
/** A container that is replaced by one that knows leases is not asked before. */
const noLeasesTrustedMs = 60_000;
/** What gateways answer in the place of a container that is gone. */
const gatewayStatuses = new Set([502, 503, 504]);

/** Whether runs of workflows get this container's slot, now or in their turn. */
function isUsable(standing: Standing): boolean {
  return standing === 'granted' || standing === 'waiting' || standing === 'no_leases';
}

/**
 * A worker's slot that is the container's own: it polls for a task only while the container grants it a lease. A container that is
 * out of reach, cannot work, or works for a caller without a lease is offered only where there is no other: the retry policy then says
 * what the run does.
 */
export class LeasedSlot implements ContainerSlot, CustomSlotSupplier<ActivitySlotInfo> {
  readonly type = 'custom';
  readonly client: ContainerClient;
  readonly place: ContainerPlace;
  readonly #presence: ContainerPresence;
  #hold: Hold | undefined;
  /** Settles when the slot that was reserved is free again. */
  #released = Promise.withResolvers<void>();
  #noLeasesUntilMs = 0;

  constructor(client: ContainerClient, place: ContainerPlace, presence: ContainerPresence) {
    this.client = client;
    this.place = place;
    this.#presence = presence;
    this.#released.resolve();
  }

  async reserveSlot(_: SlotReserveContext, signal: AbortSignal): Promise<SlotPermit> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    // The poller asks for the next slot while the task of this one is at work.
    await Promise.race([this.#released.promise, aborted]);
    this.#released = Promise.withResolvers<void>();
    try {
      this.#hold = await this.#reserve(signal);
      return {};
    } catch (error) {
      this.#released.resolve();
      throw error;
    }
  }

  /** Only a poll may take the slot. */
  tryReserveSlot(): null {
    return null;
  }

  markSlotUsed(): void {}

  releaseSlot(): void {
    if (this.#hold?.kind === 'lease') this.#hold.release.abort();
    this.#hold = undefined;
    this.#released.resolve();
  }

  async claim(signal: AbortSignal): Promise<{ lease: string | undefined } | 'turned_away'> {
    const hold = this.#hold;
    if (hold === undefined) return 'turned_away';
    switch (hold.kind) {
      case 'lease':
        return { lease: hold.id };
      case 'no_leases':
        return { lease: undefined };
      case 'last_resort': {
        // The task may have come long after the slot was offered.
        const { id } = hold;
        const standing = await this.#ask(id, undefined, signal);
        if (standing === 'granted' || standing === 'waiting') {
          this.#hold = this.#lease(id);
          return standing === 'granted' ? { lease: id } : 'turned_away';
        }
        return standing === 'no_leases' || (await this.#presence.isNowhere()) ? { lease: undefined } : 'turned_away';
      }
    }
  }

  async #reserve(signal: AbortSignal): Promise<Hold> {
    const id = randomUUID();
    let known: Standing | undefined;
    for (;;) {
      known = await this.#ask(id, known, signal);
      signal.throwIfAborted();
      switch (known) {
        case 'granted':
          return this.#lease(id);
        case 'waiting':
          break;
        case 'no_leases':
          return { kind: 'no_leases' };
        case 'taken':
        case 'not_ready':
        case 'out_of_reach':
          if (await this.#presence.isNowhere()) return { kind: 'last_resort', id };
          await delay(retryMs, undefined, { signal });
          known = undefined;
      }
    }
  }

  #lease(id: string): Hold {
    const release = new AbortController();
    void this.#keep(id, release.signal);
    return { kind: 'lease', id, release };
  }

  /** The container forgets a lease that nobody asks for. */
  async #keep(id: string, signal: AbortSignal): Promise<void> {
    let known: Standing = 'granted';
    while (!signal.aborted) {
      known = await this.#ask(id, known, signal);
      if (known === 'out_of_reach' || known === 'not_ready')
        await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }

  async #ask(id: string, known: Standing | undefined, signal: AbortSignal): Promise<Standing> {
    const standing = await this.#standingOf(id, known, signal);
    if (!signal.aborted) this.#presence.report(this.client.url, isUsable(standing));
    return standing;
  }

  async #standingOf(id: string, known: Standing | undefined, signal: AbortSignal): Promise<Standing> {
    if (performance.now() < this.#noLeasesUntilMs) return 'no_leases';
    const told = known === 'no_leases' || known === 'out_of_reach' ? undefined : known;
    try {
      return (await this.client.slot(id, told, signal)).state;
    } catch (error) {
      const isAnswer = error instanceof ContainerAnswer && !gatewayStatuses.has(error.facts.status);
      if (!isAnswer) {
        if (signal.aborted || error instanceof ConnectionLost || error instanceof ContainerAnswer)
          return 'out_of_reach';
        throw error;
      }
      this.#noLeasesUntilMs = performance.now() + noLeasesTrustedMs;
      return 'no_leases';
    }
  }
}
