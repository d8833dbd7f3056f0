/** Of all deliveries of one run, which continues as new under other run ids. */
export function webhookIdPrefix(firstRunId: string): string {
  return `webhook/${firstRunId}/`;
}
