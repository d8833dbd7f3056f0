import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import type { Prices } from '../contract/prices.ts';
import { addDays, type UsagePeriod, type UsageView } from '../contract/server/usage.ts';
import { RunUsage } from '../contract/usage.ts';
import { decodePayload } from './decode-payload.ts';
import type { RunRecord } from './run-record.ts';
import { listRunsPage } from './runs-page.ts';
import { unlessEncrypted } from './unreadable.ts';
import { sumUsage, type UsedByRun } from './usage-totals.ts';

const pageSize = 1_000;
const mostPages = 20;
const decodesAtOnce = 50;

/** The usage in a run's memo; undefined if the run has none, as runs of older versions. */
export async function readUsage(client: Client, { usage }: RunRecord): Promise<RunUsage | undefined> {
  return RunUsage.safeParse(await decodePayload(client, usage)).data;
}

/** Sums the usage of the runs that ended in the period: the latest 20,000. Reads lists of runs only, no histories. */
export async function readUsageTotals(
  client: Client,
  { taskQueue, owner, period }: { taskQueue: string; owner: string | undefined; period: UsagePeriod },
  prices: Prices,
): Promise<UsageView> {
  const wanted = {
    taskQueue,
    owner,
    state: 'ended' as const,
    endedSince: new Date(period.from),
    endedBefore: new Date(addDays(period.to, 1)),
  };
  const used: UsedByRun[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages && (pages === 0 || cursor !== undefined); pages += 1) {
    const page = await listRunsPage(client, { ...wanted, cursor, limit: pageSize });
    const found = await pMap(page.runs, async (record) => await usedBy(client, record), { concurrency: decodesAtOnce });
    used.push(...found);
    cursor = page.nextCursor;
  }
  return sumUsage(used, period, prices, cursor === undefined);
}

async function usedBy(client: Client, record: RunRecord): Promise<UsedByRun> {
  const { endedAt = record.startedAt, owner } = record;
  return { endedAt, owner, usage: await unlessEncrypted(readUsage(client, record)) };
}
