import type { Client } from '@temporalio/client';

/** Longer than any of our requests takes on a healthy Temporal server. The SDK's own retries would last much longer. */
const requestMs = 8_000;

/** Applies one deadline to all Temporal requests that `request` makes. */
export async function withRequestDeadline<Result>(client: Client, request: () => Promise<Result>): Promise<Result> {
  return await client.withDeadline(Date.now() + requestMs, request);
}
