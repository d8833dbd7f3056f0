import { Client, Connection } from '@temporalio/client';
import { ensurePage } from '../../scripts/setup/page.mjs';
import { seedRuns } from '../support/seeded-runs.ts';
import { TestServer } from '../support/server.ts';
import { endAfterAll, stopAfterAll } from '../support/stop-after-all.ts';
import { startTemporal } from '../support/temporal.ts';

/** Starts a server with the page, on a Temporal server that has `ended` ended runs and `underWay` queued ones. */
export async function startSeededServer(counts: { ended: number; underWay: number }) {
  await ensurePage(process.execPath);
  const temporal = await stopAfterAll(startTemporal());
  const client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
  endAfterAll(async () => client.connection.close());
  const server = await stopAfterAll(TestServer.start({ TEMPORAL_ADDRESS: temporal.address }));
  await seedRuns(client, { ...counts, state: 'queued' });
  return { temporal, client, server };
}
