/**
 * How long does the server take for a page of its list? It has 10,000 ended and 200 running runs on a dev server
 * without workers, so each page waits the longest possible time for them. `npm run bench:server-list -- [ended]
 * [running]`.
 */
import { Client, Connection } from '@temporalio/client';
import { seededId, seedRuns } from '../test/support/seeded-runs.ts';
import { TestServer } from '../test/support/server.ts';
import { startTemporal } from '../test/support/temporal.ts';
import { median } from './median.ts';
import { percentile } from './percentile.ts';
import { inUnit, report } from './report.ts';

const ended = Number(process.argv[2] ?? 10_000);
const underWay = Number(process.argv[3] ?? 200);
const rounds = 100;

const temporal = await startTemporal();
const connection = await Connection.connect({ address: temporal.address });
const server = await TestServer.start({ TEMPORAL_ADDRESS: temporal.address });
await seedRuns(new Client({ connection }), { ended, underWay, state: 'running' });
await server.process.until('all runs in the list', async () => {
  const { body } = await server.get(`/api/runs?q=${seededId(ended + underWay - 1)}`);
  return body.runs.length === 1;
});

const second = (await server.get('/api/runs?state=ended')).body.nextCursor as string;
const pages = {
  'the first page': '',
  'ended, the first page': '?state=ended',
  'ended, the second page': `?state=ended&cursor=${second}`,
  'failed of an owner': '?state=failed&owner=owner-3',
  'an id': `?q=${seededId(ended / 2)}`,
  'a word of the source': '?q=wav',
};
for (const [name, query] of Object.entries(pages)) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startMs = performance.now();
    const { status } = await server.get(`/api/runs${query}`);
    if (status !== 200) throw new Error(`${name}: ${status}`);
    times.push(performance.now() - startMs);
  }
  report('server-list', `${name}, ${(ended + underWay).toLocaleString('en-US')} runs`, {
    median: inUnit('ms', median(times)),
    '95th percentile': inUnit('ms', percentile(times, 0.95)),
  });
}
await server.stop();
await connection.close();
await temporal.stop();
