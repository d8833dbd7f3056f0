import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
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
    const limiter = client.workflow.getHandle(workflowId);
    for (;;) {
      const latest = await ifFound(limiter.describe());
      if (latest === undefined || latest.closeTime !== undefined) {
        const earlier: EarlierLimiter[] =
          latest?.closeTime === undefined ? [] : [{ endedAtMs: latest.closeTime.getTime() }];
        await client.workflow.signalWithStart(limiterWorkflowType, {
          workflowId,
          taskQueue: limiterTaskQueue(environment),
          args: [key, message.settings, ...earlier],
          signal: limiterSignals.message,
          signalArgs: [withSlots],
          staticSummary: `Rate limits of ${key} in ${environment}`,
        });
        return;
      }
      // If this limiter has ended meanwhile, `signalWithStart` would start one that knows of no earlier limiter.
      if (await ifFound(limiter.signal(limiterSignals.message, withSlots).then(() => true))) return;
    }
  };
}

/** Undefined if the server has no such workflow, or none that still runs and could be signalled. */
async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
