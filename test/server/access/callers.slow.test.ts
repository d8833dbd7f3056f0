import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { defaultTaskQueue } from '../../../contract/task-queues.ts';
import { TestServer } from '../../support/server.ts';
import { startTemporal } from '../../support/temporal.ts';
import { all, anna, bearer, bert, reader, writeTokens } from './token-holders.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll, stopAfterTest } from '../../support/stop-after-all.ts';

// Without a worker, all runs stay queued.

const folder = useFolder();

const temporal = await stopAfterAll(startTemporal());
const file = await writeTokens(folder);
const guarded = await stopAfterAll(TestServer.start({ TEMPORAL_ADDRESS: temporal.address, SERVER_TOKENS_FILE: file }));
const open = await stopAfterAll(TestServer.start({ TEMPORAL_ADDRESS: temporal.address, SERVER_HOST: '0.0.0.0' }));

const input = {
  sourceUrl: 'https://media.test/talk.wav?signature=secret',
  outputs: [{ format: 'mp3_64', uploadUrl: 'https://media.test/talk.mp3?signature=secret' }],
};
const encode = (more: object = {}): object => ({ workflow: 'encode', input: { ...input, ...more } });

/** Sends headers such as `Host` that undici refuses to set. */
async function statusWith(headers: Record<string, string>, path = '/api/runs'): Promise<number | undefined> {
  const { hostname, port } = new URL(open.url);
  return await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('server with tokens', () => {
  test.each(['/api/runs', '/api/presets', '/api/runs/x', '/api/nothing'])('%s requires a token', async (path) => {
    for (const headers of [{}, bearer('wrong'), { authorization: `Basic ${anna}` }]) {
      const answer = await guarded.get(path, headers);
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('an owner starts and sees only its own runs', async () => {
    const started = await guarded.post('/api/runs', encode(), bearer(anna));
    expect(started).toMatchObject({ status: 201, body: { owner: 'anna', state: 'queued' } });
    const { id } = started.body;
    expect(await guarded.get(`/api/runs/${id}`, bearer(reader))).toMatchObject({ status: 200, body: { id } });
    expect(await guarded.get(`/api/runs/${id}`, bearer(all))).toMatchObject({ status: 200 });
    await guarded.process.until('listed run', async () => {
      const { body } = await guarded.get('/api/runs', bearer(anna));
      return body.runs.some((run: { id: string }) => run.id === id);
    });
    expect((await guarded.get('/api/runs', bearer(bert))).body).toEqual({ runs: [], total: 0 });
    const foreign = await guarded.watch('/api/events', bearer(bert));
    const own = await guarded.watch('/api/events', bearer(anna));
    await guarded.process.until('ready', () => own.all.length > 0 && foreign.all.length > 0);
    const another = await guarded.post(`/api/runs`, encode(), bearer(anna));
    await guarded.process.until('event', () => own.all.some(({ data }) => data.id === another.body.id));
    expect(foreign.all.map(({ event }) => event)).toEqual(['ready']);
    for (const events of [own, foreign]) events.close();
    expect((await guarded.get(`/api/runs/${id}/events`, bearer(bert))).status).toBe(404);
  });

  test('an owner neither lists runs of another owner nor reruns in their name', async () => {
    expect(await guarded.get('/api/runs?owner=anna', bearer(bert))).toMatchObject({ status: 403 });
    const { body } = await guarded.post('/api/runs', encode(), bearer(anna));
    const rerun = await guarded.post(`/api/runs/${body.id}/rerun`, { input: { owner: 'bert' } }, bearer(anna));
    expect(rerun).toMatchObject({ status: 403 });
  });

  test('refuses a token without the scope before it reads the body', async () => {
    expect(await guarded.post('/api/runs', encode(), bearer(reader))).toMatchObject({ status: 403 });
    expect(await guarded.post('/api/inspect', {}, bearer(reader))).toMatchObject({ status: 403 });
    for (const path of ['/api/metrics', '/api/limiters'])
      expect(await guarded.get(path, bearer(reader))).toMatchObject({ status: 403 });
    const headers = bearer(reader);
    expect(await guarded.call('PUT', '/api/runs/a/transcript', { body: [], headers })).toMatchObject({ status: 403 });
    const large = { ...bearer('wrong'), 'content-type': 'application/json' };
    expect(await guarded.call('POST', '/api/runs', { text: '{'.repeat(1000), headers: large })).toMatchObject({
      status: 401,
    });
  });

  test('hides the secrets of an input in answers and logs', async () => {
    const { body } = await guarded.post('/api/runs', encode(), bearer(anna));
    const details = await guarded.get(`/api/runs/${body.id}`, bearer(anna));
    expect(details.body.input.sourceUrl).toBe('https://media.test/talk.wav?…');
    expect(JSON.stringify(details.body)).not.toContain('secret');
    expect(guarded.process.output).not.toContain('secret');
    expect(guarded.process.output).not.toContain(anna);
  });
});

test('an Idempotency-Key of one task queue starts a run of its own in another', async () => {
  const key = { 'idempotency-key': 'release-7' };
  const start = async (server: TestServer) => await server.post('/api/runs', encode(), key);
  const queues = ['staging', 'production'].map(async (queue) =>
    stopAfterTest(TestServer.start({ TEMPORAL_ADDRESS: temporal.address, TEMPORAL_TASK_QUEUE: queue })),
  );
  const servers = [open, ...(await Promise.all(queues))];
  const ids: string[] = [];
  for (const server of servers) {
    const started = await start(server);
    expect(started).toMatchObject({ status: 201 });
    ids.push(started.body.id);
  }
  expect(new Set(ids).size).toBe(servers.length);
  for (const [index, server] of servers.entries())
    expect(await start(server)).toMatchObject({ status: 200, body: { id: ids[index] } });
  // Keys of the default queue have these ids in every version.
  const digest = createHash('sha256')
    .update(JSON.stringify([null, 'release-7']))
    .digest('hex');
  expect(ids[0]).toBe(`encode-${digest.slice(0, 32)}`);
});

test('an Idempotency-Key of another task queue than the default keeps its run of an older version', async () => {
  const taskQueue = 'staging';
  const server = await stopAfterTest(
    TestServer.start({ TEMPORAL_ADDRESS: temporal.address, TEMPORAL_TASK_QUEUE: taskQueue }),
  );
  const { body: started } = await server.post('/api/runs', encode(), { 'idempotency-key': 'release-8' });
  const connection = await Connection.connect({ address: temporal.address });
  const { workflow } = new Client({ connection });
  const { memo = {} } = await workflow.getHandle(started.id).describe();
  // Older versions derive the id from owner and key alone.
  const digest = createHash('sha256')
    .update(JSON.stringify([null, 'release-9']))
    .digest('hex');
  const workflowId = `encode-${digest.slice(0, 32)}`;
  const older = await workflow.start('encode', { taskQueue, workflowId, memo, args: [input] });
  await older.terminate();
  await connection.close();
  const key = { 'idempotency-key': 'release-9' };
  expect(await server.post('/api/runs', encode(), key)).toMatchObject({ status: 200, body: { id: workflowId } });
  const other = await server.post('/api/runs', encode({ priority: 2 }), key);
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
});

describe('server without tokens', () => {
  test('listens only on loopback and logs why', () => {
    expect(open.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(open.process.messages().join('\n')).toMatch(/not on SERVER_HOST 0\.0\.0\.0: without SERVER_TOKENS_FILE/);
  });

  test.each([
    ['evil.test', 403],
    ['127.0.0.1.evil.test', 403],
    ['localhost.evil.test:80', 403],
    ['localhost', 200],
    ['[::1]:1', 200],
  ])('answers a request for the host %s with %i', async (host, status) => {
    expect(await statusWith({ host })).toBe(status);
  });

  test.each([
    [{ origin: 'https://evil.test' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'none' }, 200],
  ])('answers a request with %j with %i', async (headers, status) => {
    expect(await statusWith({ host: 'localhost', ...headers })).toBe(status);
  });

  test('answers a preflight from another origin without CORS headers', async () => {
    const answer = await open.call('OPTIONS', '/api/runs', { headers: { origin: open.url } });
    expect([answer.status, answer.headers['allow']]).toEqual([204, 'GET, HEAD, POST']);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('every answer forbids browsers to run or frame it', async () => {
    for (const { headers } of [await open.get('/api/runs'), await open.get('/nothing')]) {
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; frame-ancestors 'none'/);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });
});

test('every request reports that Temporal is unavailable', async () => {
  const lonely = await stopAfterTest(TestServer.start({ TEMPORAL_ADDRESS: '127.0.0.1:1' }));
  const paths = ['/api/runs', '/api/runs/x', '/api/events', '/api/runs/x/events', '/api/scale', '/api/limiters'];
  const answers = await Promise.all(paths.map((path) => lonely.get(path)));
  for (const { status, headers, body } of answers) {
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'temporal_unavailable', '5']);
  }
});

describe('invalid requests', () => {
  test.each([
    ['no JSON', { text: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['no type', { text: '{}' }, 415],
    ['a form', { text: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['an unknown field', { body: { ...encode(), hook: {} } }, 400],
    ['a webhook without a secret', { body: { ...encode(), webhook: { url: 'https://example.com' } } }, 400],
    ['an unknown field of the input', { body: encode({ sourceURL: 'x' }) }, 400],
    ['another workflow', { body: { workflow: 'limiter', input: {} } }, 400],
    ['an owner with a quote', { body: { ...encode(), owner: "a' OR 'a'='a\"" } }, 400],
    ['two owners', { body: { ...encode({ owner: 'a' }), owner: 'b' } }, 400],
    ['a priority out of range', { body: { ...encode(), priority: 0 } }, 400],
    ['a key of another alphabet', { body: encode(), headers: { 'idempotency-key': 'é' } }, 400],
    ['5 MB', { body: encode({ sourceUrl: `https://media.test/${'a'.repeat(5e6)}` }) }, 413],
    ['no body', {}, 400],
  ])('refuses %s with a sentence', async (_what, options, status) => {
    const answer = await open.call('POST', '/api/runs', options);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({ status, detail: expect.stringMatching(/\w+ \w+/), code: expect.any(String) });
  });

  test('accepts an input of one megabyte and refuses one above Temporal’s limit', async () => {
    const chunks = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({
        index,
        uploadUrl: `https://media.test/${index}?${'s'.repeat(300)}`,
      }));
    const chunking = (count: number): object => ({
      workflow: 'chunking',
      input: { sourceUrl: 'https://media.test/a.wav', chunks: chunks(count) },
    });
    expect(await open.post('/api/runs', chunking(3000))).toMatchObject({ status: 201 });
    expect(await open.post('/api/runs', chunking(7000))).toMatchObject({
      status: 413,
      body: { code: 'request_too_large' },
    });
  });

  test.each([
    '?limit=0',
    '?limit=x',
    '?limit=1&limit=2',
    '?state=done',
    '?nothing=1',
    '?q=%00',
    '?q=a%0Ab',
    '?owner=%22',
  ])('refuses the list with %s', async (query) => {
    expect(await open.get(`/api/runs${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('shows and cancels runs whose ids have any characters, and keeps paths apart', async () => {
    const connection = await Connection.connect({ address: temporal.address });
    const workflow = new Client({ connection }).workflow;
    const ids = [
      'a/b',
      '../runs',
      'line\nbreak',
      '<script>alert(1)</script>',
      'שלום‮🎧',
      '%2e%2e',
      "' OR '1'='1",
      'a?b#c',
      ':batch',
    ];
    for (const workflowId of ids) {
      await workflow.start('encode', { workflowId, taskQueue: defaultTaskQueue, args: [input] });
      const path = `/api/runs/${encodeURIComponent(workflowId)}`;
      expect((await open.get(path)).body, workflowId).toMatchObject({ id: workflowId });
      expect((await open.post(`${path}/cancel`)).status, workflowId).toBe(202);
    }
    // Workflows that are not runs of this server: a limiter, and a run of another task queue.
    await workflow.start('limiter', { workflowId: 'limiter/default/a/b', taskQueue: defaultTaskQueue, args: [] });
    await workflow.start('encode', { workflowId: 'elsewhere', taskQueue: 'other', args: [input] });
    for (const id of ['limiter/default/a/b', 'elsewhere', 'no such run', 'x'.repeat(2000), '%']) {
      expect((await open.get(`/api/runs/${encodeURIComponent(id)}`)).status, id).toBe(404);
    }
    expect((await open.get('/api/runs/%')).status).toBe(400);
    expect((await open.call('PUT', '/api/runs')).status).toBe(405);
    await connection.close();
  });
});
