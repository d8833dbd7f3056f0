import { workflowInfo } from '@temporalio/workflow';

/** `continueAsNewSuggested` comes from the server; the time-skipping test server never sets it. */
export function historyIsLong(maxEvents = 5_000): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || info.historyLength > maxEvents;
}
