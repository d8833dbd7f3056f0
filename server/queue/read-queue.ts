import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { allOf, quote, runConditions } from '../../client/visibility-query.ts';
import { JobPhase } from '../../contract/http/job.ts';
import type { QueueView } from '../../contract/server/queue.ts';
import { containerTaskQueue } from '../../contract/task-queues.ts';
import { describeProblem, ProblemError } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { containerViews } from './containers.ts';
import { describeQueue } from './describe-queue.ts';
import type { Line } from './line.ts';

/** Autoscalers and pages ask every few seconds; all share one answer. */
const freshMs = 1_000;

type Counts = Pick<QueueView, 'backlog' | 'oldestSeconds' | 'busy'>;

export class Queue {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #line: Line;
  readonly #hasState: () => Promise<boolean>;
  readonly #log: Logger;
  #counts: Promise<Counts> | undefined;
  #readAtMs = -freshMs;

  constructor(client: Client, taskQueue: string, line: Line, hasState: () => Promise<boolean>, log: Logger) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#line = line;
    this.#hasState = hasState;
    this.#log = log;
  }

  async counts(): Promise<Counts> {
    if (this.#counts === undefined || performance.now() - this.#readAtMs > freshMs) {
      this.#readAtMs = performance.now();
      this.#counts = withRequestDeadline(this.#client, () => this.#ask());
      // The next caller must not get this error again.
      this.#counts.catch(() => (this.#counts = undefined));
    }
    return await this.#counts;
  }

  /** `all` adds the containers with the run of each, whoever owns it. */
  async read(all: boolean): Promise<QueueView> {
    const counts = await this.counts();
    const { presence, work, typicalSeconds } = await this.#line.read();
    const containers = containerViews(presence.containers, work);
    return {
      ...counts,
      ready: containers.filter(({ state }) => state === 'ready').length,
      workers: presence.workers,
      ...(typicalSeconds !== undefined && { typicalSeconds }),
      ...(all && { containers }),
    };
  }

  /** Containers that would be busy if enough existed. A spread run is one run, but several containers work for it. */
  async wanted(): Promise<number> {
    const { backlog, busy } = await this.counts();
    const view = await this.#line.read().catch((error: unknown) => {
      // The counts are enough to add containers.
      this.#log.warn({ error: describeProblem(error) }, 'Busy containers cannot be counted at the moment');
      return undefined;
    });
    const containers = view === undefined ? [] : containerViews(view.presence.containers, view.work);
    return backlog + Math.max(busy, containers.filter(({ state }) => state === 'busy').length);
  }

  async #ask(): Promise<Counts> {
    if (!(await this.#hasState())) {
      throw new ProblemError(
        'no_search_attributes',
        'The Temporal server lacks Holdfast’s search attributes, which are needed to count working runs. Run `npx holdfast setup-server` to register them.',
      );
    }
    const [line, busy] = await Promise.all([this.#readLine(), this.#countBusy()]);
    return { ...line, busy };
  }

  async #readLine(): Promise<Pick<QueueView, 'backlog' | 'oldestSeconds'>> {
    const { stats } = await describeQueue(this.#client, containerTaskQueue(this.#taskQueue));
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
}
