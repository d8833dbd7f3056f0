import type { Client } from '@temporalio/client';
import type { RunRecord } from '../../client/run-record.ts';
import { listRunsPage } from '../../client/runs-page.ts';

const pageSize = 1_000;

/** Runs that match the filter, at most `mostPages` pages of 1,000. */
export async function listAllRuns(
  client: Client,
  filter: Omit<Parameters<typeof listRunsPage>[1], 'cursor' | 'limit'>,
  mostPages: number,
): Promise<RunRecord[]> {
  const records: RunRecord[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await listRunsPage(client, { ...filter, cursor, limit: pageSize });
    records.push(...page.runs);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return records;
}
