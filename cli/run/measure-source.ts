import type { Client } from '@temporalio/client';
import { startInspection } from '../../client/inspect-source.ts';
import { MetadataResult } from '../../contract/http/metadata.ts';

/** A container measures the longest sources within minutes. The rest allows for a wait in the queue. */
const limitMs = 15 * 60_000;

/** Seconds of a source, as a container measures them. */
export async function measureSource(
  client: Client,
  taskQueue: string,
  sourceUrl: string,
  signal: AbortSignal,
): Promise<number> {
  const handle = await startInspection(client, { taskQueue, input: { sourceUrl }, memo: {}, limitMs });
  try {
    const result: unknown = await client.withAbortSignal(signal, () => handle.result());
    return MetadataResult.parse(result).duration;
  } catch (error) {
    if (signal.aborted) await handle.cancel().catch(() => undefined);
    throw error;
  }
}
