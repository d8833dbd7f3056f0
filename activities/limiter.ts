import { Context } from '@temporalio/activity';
import { type LimiterMessage, limiterSignals, limiterWorkflowId, limiterWorkflowType } from '../contract/limiter.ts';

/** Brings mail to a limiter and starts the limiter where none runs: workflow code can signal, but not start. A repeat is harmless. */
export async function sendToLimiter(environment: string, key: string, mail: LimiterMessage): Promise<void> {
  const { client, info } = Context.current();
  await client.workflow.signalWithStart(limiterWorkflowType, {
    workflowId: limiterWorkflowId(environment, key),
    taskQueue: info.taskQueue,
    args: [key, mail.settings],
    signal: limiterSignals.message,
    signalArgs: [mail],
    staticSummary: `Rate limits of ${key} in ${environment}`,
  });
}
