import type { Client } from '@temporalio/client';

/** Longer than Temporal takes for any of our requests while it is there. The SDK would try again for far longer than anybody waits. */
const requestMs = 8_000;

/** Of all requests to Temporal that are made within. */
export async function withRequestDeadline<Result>(client: Client, request: () => Promise<Result>): Promise<Result> {
  return await client.withDeadline(Date.now() + requestMs, request);
}
