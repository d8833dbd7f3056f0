import { Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';

/**
 * A class of workers that run the workflows of one bundle in one thread. A thread of its own for the limiters would take
 * a sixth of the processor time in which a worker starts. The thread ends with the last of the workers.
 */
export function workerWithSharedThread(): typeof Worker {
  let thread: Promise<WorkflowCreator> | undefined;
  let users = 0;
  return class extends Worker {
    protected static override async createWorkflowCreator(
      ...args: Parameters<typeof Worker.createWorkflowCreator>
    ): Promise<WorkflowCreator> {
      users += 1;
      const creator = await (thread ??= super.createWorkflowCreator(...args));
      return {
        createWorkflow: async (options) => await creator.createWorkflow(options),
        async destroy() {
          users -= 1;
          if (users > 0) return;
          thread = undefined;
          await creator.destroy();
        },
      };
    }
  };
}
