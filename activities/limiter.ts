import { Context } from '@temporalio/activity';
import { type LimiterMessage, limiterSignals, limiterWorkflowId, limiterWorkflowType } from '../contract/limiter.ts';

/** Sends a message to a limiter, and starts the limiter where none runs: workflow code can signal, but not start. Repeating it is harmless. */
export async function sendToLimiter(environment: string, key: string, message: LimiterMessage): Promise<void> {
  const { client, info } = Context.current();
  await client.workflow.signalWithStart(limiterWorkflowType, {
    workflowId: limiterWorkflowId(environment, key),
    taskQueue: info.taskQueue,
    args: [key, message.settings],
    signal: limiterSignals.message,
    signalArgs: [message],
    staticSummary: `Rate limits of ${key} in ${environment}`,
  });
}
