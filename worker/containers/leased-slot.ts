import {
  type ActivitySlotInfo,
  type CustomSlotSupplier,
  Runtime,
  type SlotPermit,
  type SlotReserveContext,
} from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerClient } from '../../activities/container/client.ts';
import type { ContainerSlot } from '../../activities/container/container-slot.ts';
import { ConnectionLost, ContainerAnswer, ProxyAnswer, SharedAddress } from '../../activities/container/errors.ts';
import type { ContainerPlace } from '../../contract/activity.ts';
import type { SlotView } from '../../contract/http/slot.ts';
import type { ContainerPresence } from './presence.ts';
import type { TaskSource } from './task-source.ts';

type Presence = Pick<ContainerPresence, 'report' | 'isNowhere'>;

/**
 * `no_leases`: the container does not know leases and is taken as free. `shared`: several containers answer at its
 * address.
 */
type Standing = SlotView['state'] | 'no_leases' | 'out_of_reach' | 'shared';

/** Basis of a reserved slot. */
type Hold = { kind: 'lease' | 'last_resort'; id: string; release: AbortController } | { kind: 'no_leases' };

/** Pause after an answer that comes at once. */
const retryMs = 1_000;
/** Time until a container without leases is asked again: a newer one may have replaced it. */
const noLeasesTrustedMs = 60_000;

/** Whether workflow runs get this container's slot, now or in their turn. */
function isUsable(standing: Standing): boolean {
  return standing === 'granted' || standing === 'waiting' || standing === 'no_leases';
}

/**
 * Ties a worker's slot to the container's: the worker polls for a task only while the container grants it a lease. An
 * unhealthy or unreachable container, or one that serves a caller without a lease, is offered only as a last resort;
 * the run's retry policy then decides.
 */
export class LeasedSlot implements ContainerSlot, CustomSlotSupplier<ActivitySlotInfo> {
  readonly type = 'custom';
  readonly client: ContainerClient;
  readonly place: ContainerPlace;
  readonly #presence: Presence;
  readonly #source: TaskSource;
  #hold: Hold | undefined;
  /** Settles when the reserved slot is free again. */
  #released = Promise.withResolvers<void>();
  #noLeasesUntilMs = 0;
  /** Instance that answered last; it has its address for itself. */
  #instanceId: string | undefined;
  /** Version of the container, if it reports one. */
  #version: string | undefined;
  /** Refusal that has been logged. */
  #refusal: string | undefined;

  constructor(client: ContainerClient, place: ContainerPlace, presence: Presence, source: TaskSource) {
    this.client = client;
    this.place = place;
    this.#presence = presence;
    this.#source = source;
    this.#released.resolve();
  }

  async reserveSlot(_: SlotReserveContext, signal: AbortSignal): Promise<SlotPermit> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    // The poller asks for the next slot while the task of this one runs.
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
    if (this.#hold !== undefined && this.#hold.kind !== 'no_leases') this.#hold.release.abort();
    this.#hold = undefined;
    this.#released.resolve();
  }

  async claim(signal: AbortSignal): Promise<{ lease: string | undefined } | 'turned_away'> {
    const hold = this.#hold;
    if (hold === undefined) return 'turned_away';
    if (hold.kind === 'no_leases') return { lease: undefined };
    // The task may arrive long after the offer of the slot: the container may have died or recovered since.
    const { id, kind, release } = hold;
    if (kind === 'last_resort') release.abort();
    const standing = await this.#ask(id, undefined, signal);
    switch (standing) {
      case 'granted':
      case 'waiting':
        if (kind === 'last_resort') this.#hold = this.#lease(id);
        return standing === 'granted' ? { lease: id } : 'turned_away';
      case 'no_leases':
        return { lease: undefined };
      case 'shared':
        if (await this.#presence.isNowhere()) throw new SharedAddress(this.client.url);
        return 'turned_away';
      case 'taken':
      case 'not_ready':
      case 'out_of_reach':
        return (await this.#presence.isNowhere()) ? { lease: undefined } : 'turned_away';
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
        case 'shared':
          if (await this.#presence.isNowhere()) return this.#lastResort(id);
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

  #lastResort(id: string): Hold {
    const release = new AbortController();
    void this.#awaitRecovery(id, release.signal);
    return { kind: 'last_resort', id, release };
  }

  /**
   * Takes a lease as soon as the container can work. Without this, its return would be known only when a task comes to
   * this slot, and until then another last resort, such as a load balancer, would take the tasks.
   */
  async #awaitRecovery(id: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(retryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const standing = await this.#ask(id, undefined, signal);
      if (signal.aborted) return;
      if (standing === 'no_leases') this.#hold = { kind: 'no_leases' };
      else if (isUsable(standing)) this.#hold = this.#lease(id);
      else continue;
      return;
    }
  }

  /**
   * Renews the lease. The container forgets a lease that nobody renews and leaves its turn to workers whose server has
   * tasks.
   */
  async #keep(id: string, signal: AbortSignal): Promise<void> {
    let known: Standing | undefined = 'granted';
    while (!signal.aborted) {
      if (await this.#source.answers()) known = await this.#ask(id, known, signal);
      else known = undefined;
      const isHeld = known === 'granted' || known === 'waiting' || known === 'taken';
      if (!isHeld) await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }

  async #ask(id: string, known: Standing | undefined, signal: AbortSignal): Promise<Standing> {
    const standing = await this.#standingOf(id, known, signal);
    if (!signal.aborted) this.#presence.report(this.client.url, isUsable(standing), this.#version);
    return standing;
  }

  async #standingOf(id: string, known: Standing | undefined, signal: AbortSignal): Promise<Standing> {
    if (performance.now() < this.#noLeasesUntilMs) return 'no_leases';
    const told = known === 'no_leases' || known === 'out_of_reach' || known === 'shared' ? undefined : known;
    try {
      const query = { lease: id, line: this.#source.line, known: told };
      const { state, version, instanceId } = await this.client.slot(query, signal);
      this.#version = version;
      if (await this.#isShared(instanceId, signal)) {
        this.#tellRefusal(new SharedAddress(this.client.url).message);
        return 'shared';
      }
      this.#refusal = undefined;
      return state;
    } catch (error) {
      if (!(error instanceof ContainerAnswer) || error.facts.status !== 404) {
        if (error instanceof ContainerAnswer || error instanceof ProxyAnswer) {
          // The answer comes from a proxy, or from a container that would refuse jobs too.
          this.#tellRefusal(error.message);
        } else if (!signal.aborted && !(error instanceof ConnectionLost)) throw error;
        return 'out_of_reach';
      }
      this.#noLeasesUntilMs = performance.now() + noLeasesTrustedMs;
      return 'no_leases';
    }
  }

  /** Asks only after a change of the instance: a container that has restarted changes once, a load balancer always. */
  async #isShared(instanceId: string, signal: AbortSignal): Promise<boolean> {
    if (instanceId === this.#instanceId) return false;
    const isShared = await this.client.hasSeveralInstances(signal);
    this.#instanceId = isShared ? undefined : instanceId;
    return isShared;
  }

  /** Logs each refusal once: nothing else reports why the container gets no jobs. */
  #tellRefusal(message: string): void {
    if (message === this.#refusal) return;
    this.#refusal = message;
    const { url } = this.client;
    Runtime.instance().logger.warn(`${url} gets no jobs while another container works: ${message}`, {
      containerUrl: url,
    });
  }
}
