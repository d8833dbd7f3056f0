import type { Context } from '@temporalio/activity';

const answerTimeoutMs = 2_000;
/** Of one count; each worker asks for itself. */
const validMs = 30_000;
/** temporal.api.enums.v1.TaskQueueType */
const activityTaskQueue = 2;

/** How many workers make a key's calls: those that have polled its queue in the last minutes, of which the server knows. */
export class WorkerCount {
  #count = 1;
  #reading: Promise<number> | undefined;
  #readAtMs = -Infinity;

  /** Calls that begin at the same time wait for the same answer. */
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
        client.workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name: taskQueue },
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- of @temporalio/proto, which is no dependency at run time
          taskQueueType: activityTaskQueue,
        }),
      );
      this.#count = Math.max(1, new Set(pollers.map(({ identity }) => identity)).size);
    } catch {
      // The former count is the best there is.
    }
    return this.#count;
  }
}
