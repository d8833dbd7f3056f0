import type { Staging } from '../../client/staging.ts';
import type { WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import type { RunDelivery } from '../media/run-delivery.ts';
import type { RunFacts, RunReport } from './run-report.ts';
import { waitingCommand, type WorkflowCommand } from './workflow-command.ts';

/** Delivers the files of a successful run. If that fails, they stay in the staging folder. */
export async function deliverOutcome<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  outcome: WorkflowOutcomes[Type],
  { delivery, staging }: { delivery: RunDelivery; staging: Staging },
  tookMs: number,
  facts: RunFacts,
): Promise<RunReport> {
  const tookSeconds = Math.round(tookMs / 100) / 10;
  const summary = command.summarize?.(outcome);
  const result = (await command.resultOf?.(outcome, delivery)) ?? outcome;
  const report = { ...facts, tookSeconds, result, files: delivery.places, ...(summary && { summary }) };
  try {
    const message = await command.deliver(outcome, delivery, tookMs);
    await staging.remove();
    return { ...report, state: command.isComplete?.(outcome) === false ? 'incomplete' : 'succeeded', message };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = [
      error.message,
      `The result of ${facts.workflowId} is kept in ${staging.outputFolder} for a week. To write it elsewhere:`,
      `  npx holdfast ${waitingCommand(command)} --wait ${facts.workflowId} --out FOLDER`,
    ].join('\n');
    return { ...report, state: 'undelivered', message };
  }
}
