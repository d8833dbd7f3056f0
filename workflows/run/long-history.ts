import { workflowInfo } from '@temporalio/workflow';

/** `continueAsNewSuggested` is the server's own word; not every server has it (the time-skipping one has not). */
export function historyIsLong(maxEvents = 5_000): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || info.historyLength > maxEvents;
}
