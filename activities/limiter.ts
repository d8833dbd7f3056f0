import { Context } from '@temporalio/activity';
import type { GateMail } from '../contract/limiter.ts';
import { gateSignals, gateWorkflowId, gateWorkflowType } from '../contract/names.ts';

/** Brings mail to a gate and starts the gate where none runs: workflow code can signal, but not start. A repeat is harmless. */
export async function mailToGate(environment: string, key: string, mail: GateMail): Promise<void> {
  const { client, info } = Context.current();
  await client.workflow.signalWithStart(gateWorkflowType, {
    workflowId: gateWorkflowId(environment, key),
    taskQueue: info.taskQueue,
    args: [key, mail.settings],
    signal: gateSignals.mail,
    signalArgs: [mail],
    staticSummary: `Rate limits of ${key} in ${environment}`,
  });
}
