/**
 * How long does the server take for a page of its list? It has 10,000 ended and 200 running runs on a dev server
 * without workers, so each page waits the longest possible time for them. `npm run bench:server-list -- [ended]
 * [running] [postgres]`; `postgres` is a cluster over PostgreSQL, where the older runs are copies of visibility rows.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { TemporalCluster } from '../test/cluster/temporal-cluster.ts';
import { seededId, seedRuns } from '../test/support/seeded-runs.ts';
import { TestServer } from '../test/support/server.ts';
import { startTemporal, type TemporalServer } from '../test/support/temporal.ts';
import { median } from './median.ts';
import { percentile } from './percentile.ts';
import { inUnit, report } from './report.ts';

const ended = Number(process.argv[2] ?? 10_000);
const underWay = Number(process.argv[3] ?? 200);
const isPostgres = process.argv[4] === 'postgres';
const rounds = 100;

/** Temporal allows ten lists and counts a second, and a page needs one of each. Beyond that its client waits a second. */
const pauseMs = 250;

/** Ended runs that a cluster really has: more than the measured pages show. Starting 100,000 takes half an hour. */
const mostSeeded = 1_000;
const seeded = isPostgres ? Math.min(ended, mostSeeded) : ended;

const cluster = isPostgres ? await TemporalCluster.start() : undefined;
const temporal: TemporalServer = cluster?.asServer() ?? (await startTemporal());
const connection = await Connection.connect({ address: temporal.address });
const server = await TestServer.start({ TEMPORAL_ADDRESS: temporal.address });
try {
  await seedRuns(new Client({ connection }), { ended: seeded, underWay, state: 'running' });
  const total = async (state: string): Promise<number> => (await server.get(`/api/runs?state=${state}`)).body.total;
  // Temporal writes the rows of the list later than the runs, on a busy machine by minutes.
  const listMs = 600_000;
  await server.process.until(
    'all runs in the list',
    async () => {
      const { body } = await server.get(`/api/runs?q=${seededId(seeded + underWay - 1)}`);
      return body.runs.length === 1 && (await total('ended')) === seeded && (await total('active')) === underWay;
    },
    listMs,
  );
  await cluster?.copyEndedRuns(ended - seeded);
  const runs = (await total('ended')) + (await total('active'));
  if (runs !== ended + underWay) throw new Error(`The list has ${runs} runs`);

  const second = (await server.get('/api/runs?state=ended')).body.nextCursor as string;
  const pages = {
    'the first page': '',
    'ended, the first page': '?state=ended',
    'ended, the second page': `?state=ended&cursor=${second}`,
    'failed of an owner': '?state=failed&owner=owner-3',
    'an id': `?q=${seededId(Math.floor(seeded / 2))}`,
    'a word of the source': '?q=wav',
  };
  for (const [name, query] of Object.entries(pages)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startMs = performance.now();
      const { status } = await server.get(`/api/runs${query}`);
      if (status !== 200) throw new Error(`${name}: ${status}`);
      times.push(performance.now() - startMs);
      await delay(pauseMs);
    }
    report('server-list', `${name}, ${runs.toLocaleString('en-US')} runs${isPostgres ? ' on PostgreSQL' : ''}`, {
      median: inUnit('ms', median(times)),
      '95th percentile': inUnit('ms', percentile(times, 0.95)),
    });
  }
} finally {
  await server.stop();
  await connection.close();
  await temporal.stop();
}
