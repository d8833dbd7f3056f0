import type { Client } from '@temporalio/client';
import { startInspection } from '../../client/inspect-source.ts';
import { MetadataResult } from '../../contract/http/metadata.ts';

/** A container inspects the longest sources within minutes. The rest allows for a wait in the queue. */
const limitMs = 15 * 60_000;

/** Facts of a source, as a container finds them. */
export async function inspectSource(
  client: Client,
  taskQueue: string,
  sourceUrl: string,
  signal: AbortSignal,
): Promise<MetadataResult> {
  const handle = await startInspection(client, { taskQueue, input: { sourceUrl }, memo: {}, limitMs });
  try {
    const result: unknown = await client.withAbortSignal(signal, () => handle.result());
    return MetadataResult.parse(result);
  } catch (error) {
    if (signal.aborted) await handle.cancel().catch(() => undefined);
    throw error;
  }
}
