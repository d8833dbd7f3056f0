import type { Context } from '@temporalio/activity';
import { describeTaskQueue } from '../../contract/task-queues.ts';

const answerTimeoutMs = 2_000;
/** Maximum age of a count. Each worker counts for itself. */
const validMs = 30_000;

/** Number of workers for a key: those that polled its task queue in the last minutes. */
export class WorkerCount {
  #count = 1;
  #reading: Promise<number> | undefined;
  #readAtMs = -Infinity;

  /** Concurrent calls share one request. */
  async read(context: Context): Promise<number> {
    if (this.#reading === undefined || performance.now() >= this.#readAtMs + validMs) {
      this.#readAtMs = performance.now();
      this.#reading = this.#read(context);
    }
    return await this.#reading;
  }

  async #read(context: Context): Promise<number> {
    const { namespace, taskQueue } = context.info;
    try {
      const { client } = context;
      const { pollers } = await client.withDeadline(Date.now() + answerTimeoutMs, () =>
        describeTaskQueue(client.workflowService, namespace, taskQueue),
      );
      this.#count = Math.max(1, new Set(pollers.map(({ identity }) => identity)).size);
    } catch {
      // The previous count is the best estimate.
    }
    return this.#count;
  }
}
