import type { Client } from '@temporalio/client';
import { allOf, quote, runConditions } from '../../client/visibility-query.ts';
import { JobPhase } from '../../contract/http/job.ts';
import type { QueueView } from '../../contract/server/queue.ts';
import { containerPresenceQueue, containerTaskQueue } from '../../contract/task-queues.ts';
import { ProblemError } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';

/** Of temporal.api.enums.v1.TaskQueueType, whose package the SDK does not pass on. */
const activityTasks = 2;

/** A worker that reaches a container polls its presence every 8 s; the server lists a poller for five minutes. */
const presentMs = 25_000;

/** Autoscalers and pages ask every few seconds. */
const freshMs = 1_000;

/** The line for containers, as Temporal has it; asked once a second for all who look. */
export class Queue {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #hasState: () => Promise<boolean>;
  #view: Promise<QueueView> | undefined;
  #readAtMs = -freshMs;

  constructor(client: Client, taskQueue: string, hasState: () => Promise<boolean>) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#hasState = hasState;
  }

  async read(): Promise<QueueView> {
    if (this.#view === undefined || performance.now() - this.#readAtMs > freshMs) {
      this.#readAtMs = performance.now();
      this.#view = withRequestDeadline(this.#client, () => this.#ask());
      // Whoever asks next is not to have the error of before.
      this.#view.catch(() => (this.#view = undefined));
    }
    return await this.#view;
  }

  async #ask(): Promise<QueueView> {
    if (!(await this.#hasState())) {
      throw new ProblemError(
        'no_search_attributes',
        'The Temporal server has not registered our search attributes, by which runs at work are counted. `npm run setup-server` registers them.',
      );
    }
    const [line, busy, workers] = await Promise.all([this.#readLine(), this.#countBusy(), this.#countWorkers()]);
    return { ...line, busy, workers };
  }

  async #readLine(): Promise<Pick<QueueView, 'backlog' | 'oldestSeconds'>> {
    const { stats } = await this.#describe(containerTaskQueue(this.#taskQueue));
    const backlog = Number(stats?.approximateBacklogCount ?? 0);
    const age = stats?.approximateBacklogAge;
    const oldestSeconds = Math.round(Number(age?.seconds ?? 0) + (age?.nanos ?? 0) / 1e9);
    return backlog === 0 ? { backlog } : { backlog, oldestSeconds };
  }

  async #countBusy(): Promise<number> {
    const query = allOf([
      ...runConditions(this.#taskQueue),
      `ExecutionStatus = 'Running'`,
      `HoldfastState = 'running'`,
      `HoldfastPhase IN (${JobPhase.options.map(quote).join(', ')})`,
    ]);
    return (await this.#client.workflow.count(query)).count;
  }

  async #countWorkers(): Promise<number> {
    const { pollers } = await this.#describe(containerPresenceQueue(this.#taskQueue));
    const since = Date.now() - presentMs;
    return (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 >= since).length;
  }

  async #describe(name: string) {
    return await this.#client.workflowService.describeTaskQueue({
      namespace: this.#client.options.namespace,
      taskQueue: { name },
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
      taskQueueType: activityTasks,
      reportStats: true,
    });
  }
}
