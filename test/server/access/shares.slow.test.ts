import { connect } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { TestServer } from '../../support/server.ts';
import { startTemporal } from '../../support/temporal.ts';
import { all, anna, bearer, bert, reader, writeTokens } from './token-holders.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

// Without a worker, inspections never end.

const sourceUrl = 'https://media.test/talk.wav';

const folder = useFolder();

const temporal = await stopAfterAll(startTemporal());
const environment = { TEMPORAL_ADDRESS: temporal.address, SERVER_TOKENS_FILE: await writeTokens(folder) };
const guarded = await stopAfterAll(TestServer.start(environment));

describe('rate limits', () => {
  test('limits the requests of each token, and wrong tokens by address', async () => {
    const limited = await TestServer.start({ ...environment, SERVER_REQUESTS_PER_MINUTE: '3' });
    const statuses = [];
    for (let calls = 0; calls < 4; calls += 1) statuses.push((await limited.get('/api/presets', bearer(anna))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await limited.get('/api/presets', bearer(anna));
    expect(refused.body).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await limited.get('/api/presets', bearer(bert))).status).toBe(200);
    for (let calls = 0; calls < 30; calls += 1) await limited.get('/api/presets', bearer('wrong'));
    const guessed = await limited.get('/api/presets', bearer('wrong'));
    expect([guessed.status, Number(guessed.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(guessed.body).toMatchObject({ status: 429, code: 'too_many_requests' });
    // A valid token still works from the same address, as behind a proxy.
    expect((await limited.get('/api/presets', bearer(bert))).status).toBe(200);
    expect((await limited.get('/api/presets')).status).toBe(429);
    await limited.stop();
  });
});

describe('limited places', () => {
  test('keeps event streams free for others when one owner asks for all, and sends Retry-After', async () => {
    const events = [];
    for (let open = 0; open < 500; open += 1) events.push(await guarded.watch('/api/events', bearer(anna)));
    expect(new Set(events.map(({ status }) => status))).toEqual(new Set([200]));
    for (const token of [anna, reader]) {
      const refused = await guarded.get('/api/events', bearer(token));
      expect(refused).toMatchObject({
        status: 429,
        body: { code: 'too_many_requests' },
        headers: { 'retry-after': '5' },
      });
    }
    for (const token of [bert, all]) {
      const other = await guarded.watch('/api/events', bearer(token));
      expect(other.status).toBe(200);
      other.close();
    }
    events.pop()?.close();
    await guarded.process.until('free place', async () => {
      const next = await guarded.watch('/api/events', bearer(reader));
      events.push(next);
      return next.status === 200;
    });
    for (const event of events) event.close();
  });

  test('keeps inspections free for others when one owner asks for all', async () => {
    const connection = await Connection.connect({ address: temporal.address });
    const { workflow } = new Client({ connection });
    const isInspected = async (sources: number): Promise<boolean> =>
      (await workflow.count(`WorkflowType = 'inspectSource'`)).count === sources;
    const gone = new AbortController();
    const inspect = (token = ''): void => {
      const body = JSON.stringify({ sourceUrl });
      const headers = { ...bearer(token), 'content-type': 'application/json' };
      const init = { method: 'POST', body, headers, signal: gone.signal };
      void fetch(`${guarded.url}/api/inspect`, init).catch(() => undefined);
    };
    for (let count = 0; count < 16; count += 1) inspect(anna);
    await guarded.process.until('inspections', () => isInspected(16));
    const refused = await guarded.post('/api/inspect', { sourceUrl }, bearer(anna));
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    inspect(bert);
    await guarded.process.until('inspection of another owner', () => isInspected(17));
    gone.abort();
    await connection.close();
  });

  test('frees the places of callers that disconnect right after their requests', async () => {
    const body = JSON.stringify({ sourceUrl });
    const headers = { ...bearer(bert), 'content-type': 'application/json', 'content-length': `${body.length}` };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const sent = ['POST /api/inspect HTTP/1.1', `host: ${new URL(guarded.url).host}`, ...lines, '', body].join('\r\n');
    for (let count = 0; count < 32; count += 1) {
      const socket = connect(Number(new URL(guarded.url).port), '127.0.0.1').on('error', () => undefined);
      await new Promise((resolve) => socket.write(sent, resolve));
      socket.resetAndDestroy();
    }
    await guarded.process.until('free place', async () => {
      const init = { method: 'POST', body, headers, signal: AbortSignal.timeout(3_000) };
      const answer = await fetch(`${guarded.url}/api/inspect`, init).catch(() => undefined);
      // A caller that gets a place waits for a worker, so it times out.
      return answer === undefined;
    });
  });
});
