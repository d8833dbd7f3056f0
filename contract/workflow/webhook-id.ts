/** Prefix of all delivery ids of one run, which may continue as new under other run ids. */
export function webhookIdPrefix(firstRunId: string): string {
  return `webhook/${firstRunId}/`;
}
