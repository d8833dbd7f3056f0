import type { NativeConnection } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import packageFacts from '../../package.json' with { type: 'json' };
import type { ContainerPlace } from '../../contract/activity.ts';
import { presenceIdentity } from '../../contract/container-presence.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { containerPresenceQueue } from '../../contract/task-queues.ts';

/** Of temporal.api.enums.v1.TaskQueueType, whose package the SDK does not pass on. */
const activityTasks = 2;

/** A worker that reaches a container polls at least this often. */
const pollMs = 8_000;
/** Three polls. The server lists a poller for five minutes, also when its worker is gone. */
const absenceMs = 25_000;
/** After an answer that came at once, such as that of a server that is gone. */
const pauseMs = 1_000;

/** A container that a worker reaches. */
interface Reached {
  place: ContainerPlace;
  /** undefined: it has not been asked. */
  isUsable: boolean | undefined;
  since: string;
  version: string | undefined;
  isPolled: boolean;
}

/**
 * Whether anybody reaches a container where a job can work. For each of those a worker polls a task queue that never has a task, under
 * an identity that tells of the container, and the server tells of its pollers. The queue of the jobs would not do: nobody polls it while all containers are at work.
 */
export class ContainerPresence {
  readonly #connection: NativeConnection;
  readonly #namespace: string;
  readonly #queue: string;
  readonly #worker = `${process.pid}@${hostname()}/${randomUUID()}`;
  #isStopped = false;
  /** By the URL by which this worker reaches it. */
  readonly #reached = new Map<string, Reached>();
  /** When each of the others was last seen to poll, by this clock: the server's may be another. */
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

  /** Nobody reaches a container that could take a job: whoever offers the slot of one out of reach takes it from no other. */
  async isNowhere(): Promise<boolean> {
    if ([...this.#reached.values()].some(({ isUsable }) => isUsable !== false)) return false;
    return !(await this.#isElsewhere());
  }

  /** A poll under way ends by itself, since the SDK cannot cancel it. */
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
      const deadlineMs = Date.now() + pollMs;
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
    return [...this.#others.values()].some(({ seenAtMs }) => nowMs - seenAtMs < absenceMs);
  }

  /** None where the server does not say, such as Temporal's test server. */
  async #pollers(): Promise<{ identity: string; access: string }[]> {
    try {
      const { pollers } = await this.#connection.workflowService.describeTaskQueue({
        namespace: this.#namespace,
        taskQueue: { name: this.#queue },
        // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
        taskQueueType: activityTasks,
      });
      return (pollers ?? []).map(({ identity, lastAccessTime }) => ({
        identity: identity ?? '',
        access: `${String(lastAccessTime?.seconds)}.${lastAccessTime?.nanos}`,
      }));
    } catch {
      return [];
    }
  }
}
