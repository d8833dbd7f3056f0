import type { NativeConnection } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import packageFacts from '../../package.json' with { type: 'json' };
import type { ContainerPlace } from '../../contract/activity.ts';
import { presenceIdentity, presencePollMs, presentMs } from '../../contract/container-presence.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { containerPresenceQueue, describeTaskQueue } from '../../contract/task-queues.ts';

/** Pause after an immediate answer, for example of an unreachable server. */
const pauseMs = 1_000;

interface Reached {
  place: ContainerPlace;
  /** Undefined before the first check. */
  isUsable: boolean | undefined;
  since: string;
  version: string | undefined;
  isPolled: boolean;
}

/**
 * Whether any worker reaches a container that can take a job. For each such container a worker polls a task queue that
 * never has a task, and its identity describes the container. The server lists the pollers. The queue of the jobs would
 * not serve: nobody polls it while all containers work.
 */
export class ContainerPresence {
  readonly #connection: NativeConnection;
  readonly #namespace: string;
  readonly #queue: string;
  readonly #worker = `${process.pid}@${hostname()}/${randomUUID()}`;
  #isStopped = false;
  /** Containers by the URL by which this worker reaches them. */
  readonly #reached = new Map<string, Reached>();
  /** Time of the last poll seen of each other worker, by this clock: the server's may differ. */
  readonly #others = new Map<string, { access: string; seenAtMs: number }>();
  constructor(
    connection: NativeConnection,
    namespace: string,
    taskQueue: string,
    places: ReadonlyMap<string, ContainerPlace>,
  ) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#queue = containerPresenceQueue(taskQueue);
    for (const [url, place] of places) {
      this.#reached.set(url, { place, isUsable: undefined, since: '', version: undefined, isPolled: false });
    }
  }

  report(containerUrl: string, isUsable: boolean, version?: string): void {
    const place = { containerUrl };
    const container = this.#reached.get(containerUrl) ?? { place, isUsable, since: '', version, isPolled: false };
    this.#reached.set(containerUrl, container);
    if (isUsable && container.isUsable !== true) container.since = new Date().toISOString();
    Object.assign(container, { isUsable, version });
    if (isUsable && !container.isPolled) void this.#poll(container);
  }

  /** Whether nobody reaches a container that could take a job. Then an unreachable container's slot may be offered. */
  async isNowhere(): Promise<boolean> {
    if ([...this.#reached.values()].some(({ isUsable }) => isUsable !== false)) return false;
    return !(await this.#isElsewhere());
  }

  /** A poll in progress ends by itself, because the SDK cannot cancel it. */
  stop(): void {
    this.#isStopped = true;
  }

  async #poll(container: Reached): Promise<void> {
    const { workflowService } = this.#connection;
    container.isPolled = true;
    while (!this.#isStopped && container.isUsable === true) {
      const request = {
        namespace: this.#namespace,
        taskQueue: { name: this.#queue },
        identity: this.#identityOf(container),
      };
      const deadlineMs = Date.now() + presencePollMs;
      await this.#connection
        .withDeadline(deadlineMs, () => workflowService.pollActivityTaskQueue(request))
        .catch(() => {});
      if (Date.now() < deadlineMs - pauseMs) await delay(pauseMs, undefined, { ref: false });
    }
    container.isPolled = false;
  }

  #identityOf({ place: { containerUrl, machine }, version, since }: Reached): string {
    const facts = { containerUrl, since, worker: this.#worker, workerVersion: packageFacts.version };
    return presenceIdentity({ ...facts, ...definedFields({ machine, version }) });
  }

  async #isElsewhere(): Promise<boolean> {
    const nowMs = performance.now();
    for (const { identity, access } of await this.#pollers()) {
      if (!identity.includes(this.#worker) && this.#others.get(identity)?.access !== access) {
        this.#others.set(identity, { access, seenAtMs: nowMs });
      }
    }
    return [...this.#others.values()].some(({ seenAtMs }) => nowMs - seenAtMs < presentMs);
  }

  /** Lists no pollers if the server, such as Temporal's test server, does not report them. */
  async #pollers(): Promise<{ identity: string; access: string }[]> {
    try {
      const { pollers } = await describeTaskQueue(this.#connection.workflowService, this.#namespace, this.#queue);
      return (pollers ?? []).map(({ identity, lastAccessTime }) => ({
        identity: identity ?? '',
        access: `${String(lastAccessTime?.seconds)}.${lastAccessTime?.nanos}`,
      }));
    } catch {
      return [];
    }
  }
}
