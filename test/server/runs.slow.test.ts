import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { RunView } from '../../contract/server/run.ts';
import type { TimelineEntry } from '../../contract/server/timeline.ts';
import { longWav, speechWav } from '../support/media.ts';
import { type ServerAnswer, type TestEvents, TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const stack = await stopAfterAll(TestStack.start());
const server = await stopAfterAll(
  TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address, TEMPORAL_UI_URL: 'http://ui.test' }),
);
await copyFile(speechWav, join(stack.container.mediaRoot, 'talk.wav'));
await copyFile(await longWav({ seconds: 3600 }), join(stack.container.mediaRoot, 'long.wav'));

function file(name: string): string {
  return pathToFileURL(join(stack.container.mediaRoot, name)).href;
}

let made = 0;

function encodeInput(source: string, more: object = {}): Record<string, unknown> {
  made += 1;
  return { sourceUrl: file(source), outputs: [{ format: 'mp3_64', uploadUrl: file(`${made}.mp3`) }], ...more };
}

function startEncode(source: string, more: object = {}): Promise<ServerAnswer> {
  return server.post('/api/runs', { workflow: 'encode', input: encodeInput(source, more) });
}

async function untilRun(id: string, what: string, probe: (run: RunView) => boolean): Promise<RunView> {
  return await server.process.until(what, async () => {
    const { body } = await server.get(`/api/runs/${encodeURIComponent(id)}`);
    return probe(body as RunView) && (body as RunView);
  });
}

test.each([
  [{ sourceUrl: 'missing.wav' }, 422, 'source_unusable'],
  [{ sourceUrl: 'file:///etc/passwd' }, 422, 'source_unusable'],
  [{ sourceUrl: 'http://127.0.0.1:1/a.wav' }, 422, 'source_unusable'],
  [{ sourceUrl: 's3://B/a.wav' }, 422, 'source_unusable'],
  [{ sourceUrl: 'upload:x' }, 501, 'uploads_unavailable'],
  [{ sourceUrl: 7 }, 400, 'invalid_request'],
  [{ sourceUrl: 'ftp://a/b' }, 400, 'invalid_request'],
  [{ sourceUrl: 'https://a.test/b', outputs: [] }, 400, 'invalid_request'],
])('answers the inspection of %j with %i and a sentence', async (body, status, code) => {
  const sourceUrl = body.sourceUrl === 'missing.wav' ? file('missing.wav') : body.sourceUrl;
  const answer = await server.post('/api/inspect', { ...body, sourceUrl });
  expect(answer).toMatchObject({ status, body: { code, detail: expect.stringMatching(/\w+ \w+/) } });
});

describe('a run', () => {
  test('a run is listed at once and ends with its timeline and result', async () => {
    const started = await startEncode('talk.wav', { owner: 'anna', priority: 2 });
    expect(started).toMatchObject({ status: 201, body: { workflow: 'encode', owner: 'anna', state: 'queued' } });
    const { id } = started.body;
    expect(started.headers['location']).toBe(`/api/runs/${id}`);
    await server.process.until('listed run', async () => {
      const { body } = await server.get('/api/runs?owner=anna');
      return body.runs.some((run: RunView) => run.id === id);
    });
    const done = await untilRun(id, 'end', ({ state }) => state === 'succeeded');
    expect(done).toMatchObject({
      id,
      priority: 2,
      source: file('talk.wav'),
      formats: ['mp3_64'],
      timelineComplete: true,
      result: { outputs: [{ format: 'mp3_64', channels: 1 }], attempts: 1 },
      webUrl: expect.stringContaining('http://ui.test/'),
    });
    const transcript = async (headers: Record<string, string>) =>
      await server.call('PUT', `/api/runs/${id}/transcript`, {
        body: { segments: [], duration: 1, complete: true, missing: [] },
        headers,
      });
    expect(await transcript({ 'if-match': '"0"' })).toMatchObject({ status: 409, body: { code: 'no_results' } });
    expect(await transcript({ 'if-match': '*' })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const { timeline } = done as unknown as { timeline: TimelineEntry[] };
    expect(timeline.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['queued', 'attempt', 'phase']));
    expect(timeline.every(({ to }) => to !== undefined)).toBe(true);
  });

  test('a run with a missing source fails with a sentence', async () => {
    const { body } = await startEncode('missing.wav');
    const failed = await untilRun(body.id, 'failure', ({ state }) => state === 'failed');
    expect(failed).toMatchObject({ failure: { type: 'SourceNotFound', message: expect.stringMatching(/\w+ \w+/) } });
  });

  test('counts failed and terminated runs by their errors', async () => {
    const more = { owner: 'carla' };
    const failed = await startEncode('missing.wav', more);
    const terminated = await startEncode('long.wav', more);
    await stack.client.workflow.getHandle(terminated.body.id).terminate();
    const types = async (path: string) =>
      new Map<string, { count: number; lastRun: string }>(
        (await server.get(path)).body.errors.map((error: { type: string }) => [error.type, error]),
      );
    const errors = await server.process.until('errors', async () => {
      const found = await types('/api/errors');
      return found.has('SourceNotFound') && found.get('Terminated')?.lastRun === terminated.body.id && found;
    });
    expect(errors.get('SourceNotFound')?.count).toBeGreaterThan(0);
    await untilRun(failed.body.id, 'failure', ({ state }) => state === 'failed');
    const details = await server.get(`/api/runs/${terminated.body.id}`);
    expect(details.body.failure).toMatchObject({ type: 'Terminated' });
    const { body } = await server.get('/api/errors?hours=1');
    expect(body.ended).toBeGreaterThanOrEqual(body.failed);
    expect(body.failed).toBeGreaterThanOrEqual(2);
    for (const hours of ['0', '721', 'x', ''])
      expect((await server.get(`/api/errors?hours=${hours}`)).status).toBe(400);
  });

  test('a working run shows phase and percent and can be cancelled once', async () => {
    const { body } = await startEncode('long.wav');
    await untilRun(body.id, 'percent', ({ percent = 0 }) => percent > 0);
    // An inspection does not wait for a job.
    const facts = await server.post('/api/inspect', { sourceUrl: file('talk.wav') });
    expect(facts).toMatchObject({
      status: 200,
      body: { format: 'wav', streams: [{ type: 'audio', codec: 'pcm_s16le' }] },
    });
    const listed = await server.get('/api/runs?state=running');
    expect(listed.body.runs).toMatchObject([{ id: body.id, state: 'running', phase: expect.any(String) }]);
    expect((await server.post(`/api/runs/${body.id}/cancel`)).status).toBe(202);
    await untilRun(body.id, 'cancellation', ({ state }) => state === 'cancelled');
    const again = await server.post(`/api/runs/${body.id}/cancel`);
    expect(again).toMatchObject({ status: 409, body: { code: 'run_ended' } });
  });

  test('reruns a run with a changed input', async () => {
    const { body } = await startEncode('missing.wav');
    await untilRun(body.id, 'failure', ({ state }) => state === 'failed');
    const rerun = await server.post(`/api/runs/${body.id}/rerun`, { input: { sourceUrl: file('talk.wav') } });
    expect(rerun.status).toBe(201);
    expect(rerun.body.id).not.toBe(body.id);
    await untilRun(rerun.body.id, 'end', ({ state }) => state === 'succeeded');
    const wrong = await server.post(`/api/runs/${body.id}/rerun`, { input: { outputs: null } });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await server.post(`/api/runs/${body.id}/rerun`)).status).toBe(201);
  });
});

describe('Idempotency-Key', () => {
  test('gives concurrent and later requests with one key the same run', async () => {
    const request = { workflow: 'encode', input: encodeInput('talk.wav') };
    const key = { 'idempotency-key': 'one/1 ü'.replace('ü', '"') };
    const answers = await Promise.all([1, 2, 3].map(() => server.post('/api/runs', request, key)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201]);
    const ids = new Set(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    const [id = ''] = ids;
    await untilRun(id, 'end', ({ state }) => state === 'succeeded');
    expect(await server.post('/api/runs', request, key)).toMatchObject({ status: 200, body: { id } });
  });

  test('refuses a key that another request has used', async () => {
    const key = { 'idempotency-key': 'two' };
    expect((await server.post('/api/runs', { workflow: 'encode', input: encodeInput('talk.wav') }, key)).status).toBe(
      201,
    );
    const other = await server.post('/api/runs', { workflow: 'encode', input: encodeInput('talk.wav') }, key);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });
});

describe('batch', () => {
  test('starts, cancels and reruns several runs, each with a result of its own', async () => {
    const wanted = { workflow: 'encode', input: encodeInput('long.wav') };
    const invalid = [
      { ...wanted, input: { ...wanted.input, sourceUrl: 'nowhere' } },
      { ...wanted, workflow: 'none' },
      1,
    ];
    const runs = [wanted, ...invalid, wanted];
    const { status, body } = await server.post('/api/runs:batch', { action: 'start', runs });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { status: 201 },
      ...invalid.map(() => ({ status: 400, problem: { code: 'invalid_request' } })),
      { status: 201 },
    ]);
    const ids = [body.results[0].id, 'no such/run', body.results.at(-1).id];
    const cancelled = await server.post('/api/runs:batch', { action: 'cancel', ids });
    expect(cancelled.body.results.map((result: { status: number }) => result.status)).toEqual([202, 404, 202]);
    for (const id of [ids[0], ids[2]]) await untilRun(id, 'cancellation', ({ state }) => state === 'cancelled');
    const again = await server.post('/api/runs:batch', { action: 'rerun', ids: [ids[0]] });
    expect(again.body.results).toMatchObject([{ status: 201 }]);
    await server.post(`/api/runs/${again.body.results[0].id}/cancel`);
  });
});

describe('events', () => {
  test('the event stream sends changes, and resumes with those missed while disconnected', async () => {
    const events = await server.watch('/api/events');
    await server.process.until('ready', () => events.all[0]?.event === 'ready');
    expect(events.all[0]?.data).toEqual({ resumed: false });
    // The source is long enough to observe the running job.
    const { body } = await startEncode('long.wav');
    const statesOf = (watched: TestEvents) =>
      watched.all.filter(({ data }) => data.id === body.id).map(({ data }) => data.state);
    await server.process.until('start', () => statesOf(events).length > 0);
    events.close();
    await server.post(`/api/runs/${body.id}/cancel`);
    await untilRun(body.id, 'end', ({ state }) => state === 'cancelled');
    const again = await server.watch('/api/events', { 'last-event-id': events.all.at(-1)?.id ?? '' });
    await server.process.until('end', () => statesOf(again).includes('cancelled'));
    expect(again.all[0]).toMatchObject({ event: 'ready', data: { resumed: true } });
    again.close();
    for (const unknown of ['x', 'a-1', `${events.all.at(-1)?.id}000`]) {
      const lost = await server.watch('/api/events', { 'last-event-id': unknown });
      await server.process.until('ready', () => lost.all.length > 0);
      expect(lost.all[0]?.data).toEqual({ resumed: false });
      lost.close();
    }
  });

  test('the event stream of a run starts with its state and ends with the run', async () => {
    const { body } = await startEncode('talk.wav');
    const events = await server.watch(`/api/runs/${body.id}/events`);
    await events.ended;
    expect(events.all.at(0)?.data).toMatchObject({ id: body.id });
    expect(events.all.at(-1)?.data).toMatchObject({ id: body.id, state: 'succeeded' });
    const late = await server.watch(`/api/runs/${body.id}/events`);
    await late.ended;
    expect(late.all).toHaveLength(1);
    const known = await server.watch(`/api/runs/${body.id}/events`, { 'last-event-id': late.all[0]?.id ?? '' });
    expect(known.status).toBe(204);
    expect((await server.get('/api/runs/unknown/events')).status).toBe(404);
  });

  test('the server ends its event streams when it stops', async () => {
    const own = await TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address });
    const events = await own.watch('/api/events');
    await own.process.until('ready', () => events.all.length > 0);
    const stopping = own.process.stop('SIGTERM');
    await events.ended;
    expect(await stopping).toEqual({ code: 0, signal: null });
    // If the server waited for viewers, the stream would break off with the process.
    expect(events.isBrokenOff).toBe(false);
    await own.stop();
  });
});

describe('list', () => {
  test('lists every run once over all pages', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await server.get(`/api/runs?limit=3${cursor}`);
      expect(status).toBe(200);
      seen.push(...body.runs.map(({ id }: RunView) => id));
      cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    expect(seen.length).toBeGreaterThan(5);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test.each([
    ['the beginning of an id', 'encode-ta'],
    ['a word of the source', 'talk'],
    ['words of the source', 'talk wav'],
  ])('searches the list by %s', async (_what, q) => {
    const { body } = await server.get(`/api/runs?q=${encodeURIComponent(q)}`);
    expect(body.runs.length).toBeGreaterThan(0);
    for (const run of body.runs) expect(run.source).toContain('talk.wav');
  });

  test.each([
    `' OR '1'='1`,
    `\\' OR 1=1 --`,
    `a\\`,
    `'; DROP TABLE executions_visibility; --`,
    `") OR (1=1`,
    '%',
    '_',
    '🎧 "x" AND *',
  ])('searches for %j as plain text', async (q) => {
    const { status, body } = await server.get(`/api/runs?q=${encodeURIComponent(q)}`);
    expect([status, body.runs]).toEqual([200, []]);
  });

  test.each(['x', 'e30', 'eyJDbG9zZVRpbWUiOiJ4In0', 'a'.repeat(5000), '%27', 'a b'])(
    'refuses the cursor %j',
    async (cursor) => {
      const { status, body } = await server.get(`/api/runs?cursor=${encodeURIComponent(cursor)}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    },
  );
});
