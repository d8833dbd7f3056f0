import { Context } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  type EarlierLimiter,
  type LimiterMessage,
  type WorkerSlots,
  limiterSignals,
  limiterWorkflowId,
  limiterWorkflowType,
} from '../contract/limiter.ts';
import { limiterTaskQueue } from '../contract/task-queues.ts';
import type { Providers } from './provider/providers.ts';

/** Sends a message to a limiter and starts it if necessary, which workflow code cannot do. Repeating it is harmless. */
export function sendToLimiterActivity({ providers, slots }: { providers: Providers; slots: WorkerSlots | undefined }) {
  return async function sendToLimiter(environment: string, key: string, message: LimiterMessage): Promise<void> {
    const { client } = Context.current();
    // A new limiter does not know any worker's slots yet.
    const withSlots: LimiterMessage =
      slots !== undefined && providers.has(key) ? { ...message, worker: slots } : message;
    const workflowId = limiterWorkflowId(environment, key);
    const earlier = await earlierLimiter(client, workflowId);
    await client.workflow.signalWithStart(limiterWorkflowType, {
      workflowId,
      taskQueue: limiterTaskQueue(environment),
      args: [key, message.settings, ...(earlier === undefined ? [] : [earlier])],
      signal: limiterSignals.message,
      signalArgs: [withSlots],
      staticSummary: `Rate limits of ${key} in ${environment}`,
    });
  };
}

/** The last limiter of the key, if it has ended. */
async function earlierLimiter(client: Client, workflowId: string): Promise<EarlierLimiter | undefined> {
  try {
    const { closeTime } = await client.workflow.getHandle(workflowId).describe();
    return closeTime === undefined ? undefined : { endedAtMs: closeTime.getTime() };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
