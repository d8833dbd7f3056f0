import type { NativeConnection } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { containerPresenceQueue } from '../../contract/task-queues.ts';

/** Of temporal.api.enums.v1.TaskQueueType, whose package the SDK does not pass on. */
const activityTasks = 2;

/** A worker that reaches a container polls at least this often. */
const pollMs = 8_000;
/** Three polls. The server lists a poller for five minutes, also when its worker is gone. */
const absenceMs = 25_000;
/** After an answer that came at once, such as that of a server that is gone. */
const pauseMs = 1_000;

/**
 * Whether anybody reaches a container where a job can work. Each worker that does polls a task queue that never has a task,
 * and the server tells of its pollers. The queue of the jobs would not do: nobody polls it while all containers are at work.
 */
export class ContainerPresence {
  readonly #connection: NativeConnection;
  readonly #namespace: string;
  readonly #queue: string;
  readonly #identity = `${process.pid}@${hostname()}/${randomUUID()}`;
  #isStopped = false;
  /** By container; undefined while it has not been asked. */
  readonly #usable = new Map<string, boolean | undefined>();
  /** When each of the others was last seen to poll, by this clock: the server's may be another. */
  readonly #others = new Map<string, { access: string; seenAtMs: number }>();
  #isPolling = false;

  constructor(connection: NativeConnection, namespace: string, taskQueue: string, containerUrls: readonly string[]) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#queue = containerPresenceQueue(taskQueue);
    for (const url of containerUrls) this.#usable.set(url, undefined);
  }

  report(containerUrl: string, isUsable: boolean): void {
    this.#usable.set(containerUrl, isUsable);
    if (isUsable && !this.#isPolling) void this.#poll();
  }

  /** Nobody reaches a container that could take a job: whoever offers the slot of one out of reach takes it from no other. */
  async isNowhere(): Promise<boolean> {
    if ([...this.#usable.values()].some((isUsable) => isUsable !== false)) return false;
    return !(await this.#isElsewhere());
  }

  /** A poll under way ends by itself, since the SDK cannot cancel it. */
  stop(): void {
    this.#isStopped = true;
  }

  async #poll(): Promise<void> {
    const { workflowService } = this.#connection;
    const request = { namespace: this.#namespace, taskQueue: { name: this.#queue }, identity: this.#identity };
    this.#isPolling = true;
    while (!this.#isStopped && [...this.#usable.values()].includes(true)) {
      const deadlineMs = Date.now() + pollMs;
      await this.#connection
        .withDeadline(deadlineMs, () => workflowService.pollActivityTaskQueue(request))
        .catch(() => {});
      if (Date.now() < deadlineMs - pauseMs) await delay(pauseMs, undefined, { ref: false });
    }
    this.#isPolling = false;
  }

  async #isElsewhere(): Promise<boolean> {
    const nowMs = performance.now();
    for (const { identity, access } of await this.#pollers()) {
      if (identity !== this.#identity && this.#others.get(identity)?.access !== access) {
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
