import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import packageFacts from '../../package.json' with { type: 'json' };
import { defaultEnvironment } from '../../contract/defaults.ts';
import { limiterTaskQueue } from '../../contract/task-queues.ts';
import { ProviderLimits } from '../../contract/provider.ts';
import { useFolder } from '../support/folder.ts';
import { TestLimiter } from '../support/limiter.ts';
import { longWav } from '../support/media.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll, stopAfterTest } from '../support/stop-after-all.ts';
import { bearer } from './access/token-holders.ts';

const folder = useFolder();
const stack = await stopAfterAll(TestStack.start());
const server = await stopAfterAll(TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address }));

function file(name: string): string {
  return pathToFileURL(join(stack.container.mediaRoot, name)).href;
}

test('counts queued and working runs, orders the queue by priority, and gives autoscalers the sum', async () => {
  expect((await server.get('/api/scale')).body).toEqual({ wanted: 0 });
  await copyFile(await longWav({ seconds: 1200 }), join(stack.container.mediaRoot, 'long.wav'));
  const runs = [1, 2, 3].map((number) => ({
    workflow: 'encode',
    // One process encodes all outputs, so that no run ends while the test reads its place.
    input: {
      sourceUrl: file('long.wav'),
      parallel: false,
      outputs: ['mp3_64', 'aac_64', 'opus_64', 'vorbis_64'].map((format) => ({
        format,
        uploadUrl: file(`${number}-${format}`),
      })),
    },
  }));
  const urgent = { ...runs[2], priority: 1 };
  const { body } = await server.post('/api/runs:batch', { action: 'start', runs: [runs[0], runs[1], urgent] });
  const queue = await server.process.until('line', async () => {
    const answer = await server.get('/api/queue');
    return answer.body.busy === 1 && answer.body.backlog === 2 && answer.body;
  });
  expect(queue).toMatchObject({ backlog: 2, busy: 1, workers: 1, oldestSeconds: expect.any(Number) });
  const history = (await server.get('/api/queue/history')).body;
  expect(history.samples.at(-1)).toMatchObject({
    at: expect.stringMatching(/^2\d{3}-/),
    backlog: 2,
    busy: 1,
    ready: 0,
  });
  const ids = body.results.map(({ id }: { id: string }) => id);
  const [container] = await server.process.until('container at work', async () => {
    const { containers } = (await server.get('/api/queue')).body;
    return containers[0]?.run?.percent > 0 && containers;
  });
  expect(container).toMatchObject({
    containerUrl: stack.container.url,
    state: 'busy',
    since: expect.stringMatching(/^2\d{3}-/),
    version: packageFacts.version,
    workerVersion: packageFacts.version,
    run: { phase: expect.any(String) },
  });
  const atWork = container.run.id;
  const places = await server.process.until('places in the line', async () => {
    const waiting = ids.filter((id: string) => id !== atWork);
    const told = await Promise.all(waiting.map(async (id: string) => (await server.get(`/api/runs/${id}`)).body));
    const inOrder = told.toSorted((one, other) => one.queue?.position - other.queue?.position);
    return inOrder.every(({ queue: place }, index) => place?.position === index + 1) && inOrder;
  });
  const order = places.map(({ id }) => id);
  // The urgent run was started last, but a container may have taken it first.
  if (atWork !== ids[2]) expect(order[0]).toBe(ids[2]);
  // The end of the working job is known; the end of the next job is not.
  expect(places[1]?.queue.expectedStartAt).toBeUndefined();
  await server.process.until('expected start', async () => {
    const { body: listed } = await server.get('/api/runs?state=queued');
    const first = listed.runs.find(({ id }: { id: string }) => id === order[0]);
    return Date.parse(first?.queue?.expectedStartAt) > Date.now();
  });
  expect((await server.get(`/api/runs/${atWork}`)).body.queue).toBeUndefined();
  await server.process.until('sum', async () => (await server.get('/api/scale')).body.wanted === 3);

  // The last run becomes the first, with one place per attempt in its timeline, and starts next.
  const [first, last] = order;
  expect(await server.post(`/api/runs/${first}/priority`, { priority: 5 })).toMatchObject({ status: 202 });
  expect(await server.post(`/api/runs/${last}/priority`, { priority: 1 })).toMatchObject({ status: 202 });
  expect(await server.post(`/api/runs/${atWork}/priority`, { priority: 4 })).toMatchObject({ status: 202 });
  const moved = await server.process.until('other order', async () => {
    const details = await server.get(`/api/runs/${last}`);
    return details.body.priority === 1 && details.body.queue?.position === 1 && details.body;
  });
  // A late heartbeat of the run at work lets this run try the busy container and queue for another attempt.
  const timeline = moved.timeline as { kind: string; attempt?: number }[];
  const queued = timeline.flatMap(({ kind, attempt }) => (kind === 'queued' ? [attempt] : []));
  expect(queued).toEqual([...new Set(queued)]);
  expect(queued).toContain(1);
  // The run has the new priority after its worker has taken the signal.
  const working = await server.process.until('priority of the run at work', async () => {
    const { body: run } = await server.get(`/api/runs/${atWork}`);
    return run.priority === 4 && run;
  });
  expect(working).toMatchObject({ state: 'running' });
  await server.post(`/api/runs/${atWork}/cancel`);
  await server.process.until('moved run at work', async () => {
    const { body: run } = await server.get(`/api/runs/${last}`);
    return run.state === 'running' && run.percent > 0;
  });
  await server.process.until('shorter line', async () => {
    const { body: run } = await server.get(`/api/runs/${first}`);
    return run.state === 'queued' && run.queue?.position === 1;
  });
  for (const priority of [0, 6, 1.5, '1', null]) {
    expect((await server.post(`/api/runs/${last}/priority`, { priority })).status).toBe(400);
  }
  await server.post('/api/runs:batch', { action: 'cancel', ids: [first, last] });
  await server.process.until('empty line', async () => (await server.get('/api/scale')).body.wanted === 0);
  await server.process.until('free container', async () => {
    const { containers, ready } = (await server.get('/api/queue')).body;
    return ready === 1 && containers[0].state === 'ready' && containers[0].run === undefined;
  });
  const late = await server.post(`/api/runs/${last}/priority`, { priority: 2 });
  expect(late).toMatchObject({ status: 409, body: { code: 'run_ended' } });
});

test('shows, throttles, resumes and sets a limiter', async () => {
  expect((await server.get('/api/limiters')).body).toEqual({ limiters: [] });
  const key = 'test/model-1';
  const limits = ProviderLimits.parse({});
  const limiter = new TestLimiter(stack.client, {
    workflowId: `limiter/${defaultEnvironment}/${key}`,
    taskQueue: limiterTaskQueue(defaultEnvironment),
    args: [key, { limits }],
  });
  const from = { workflowId: 'nobody', firstRunId: 'nobody' };
  await limiter.send({ from });
  await server.process.until('limiter', async () => {
    const { body } = await server.get('/api/limiters');
    return body.limiters[0]?.details !== undefined && body.limiters[0].key === key;
  });
  const path = `/api/limiters/${key}`;
  const throttled = await server.post(`${path}/throttle`, { seconds: 600, reason: 'maintenance' });
  expect(throttled).toMatchObject({ status: 200, body: { details: { stats: { throttle_reason: 'maintenance' } } } });
  const resumed = await server.post(`${path}/resume`);
  expect(resumed).toMatchObject({ status: 200, body: { key, details: { stats: { throttled: false } } } });
  const set = await server.post(`${path}/set`, { requestsPerMinute: 7 });
  expect(set.body.details).toMatchObject({ limits: { requestsPerMinute: 7 }, override: { requestsPerMinute: 7 } });
  const unset = await server.post(`${path}/set`, { requestsPerMinute: null });
  expect(unset.body.details.limits).toEqual(limits);
});

test('names the runs of a limiter only to callers without an owner', async () => {
  const key = 'test/model-2';
  const limiter = new TestLimiter(stack.client, {
    workflowId: `limiter/${defaultEnvironment}/${key}`,
    taskQueue: limiterTaskQueue(defaultEnvironment),
    args: [key, { limits: ProviderLimits.parse({ maxConcurrent: 1 }) }],
  });
  // No worker executes the run, which holds one permit and waits for another.
  const workflowId = 'processing-annas-secret-talk';
  const run = await stack.client.workflow.start('processing', { workflowId, taskQueue: 'nobody', args: [{}] });
  await limiter.send({ from: { workflowId, firstRunId: run.firstExecutionRunId }, requests: ['1', '2'] });
  const tokens = join(folder, 'tokens.json');
  const [bert, all] = ['bert-0123456789abcdef', 'all-0123456789abcdef'];
  const scopes = ['read', 'run', 'operate'];
  await writeFile(
    tokens,
    JSON.stringify([
      { token: bert, scopes, owner: 'bert' },
      { token: all, scopes },
    ]),
  );
  const guarded = await stopAfterTest(
    TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address, SERVER_TOKENS_FILE: tokens }),
  );
  await guarded.process.until('permit and request', async () => {
    const { limiters } = (await guarded.get('/api/limiters', bearer(all))).body;
    const details = limiters.find((entry: { key: string }) => entry.key === key)?.details;
    return details?.permits.length === 1 && details.waiting.length === 1;
  });
  const path = `/api/limiters/${key}`;
  for (const [token, isShown] of [
    [bert, false],
    [all, true],
  ] as const) {
    const answers = [
      await guarded.get('/api/limiters', bearer(token)),
      await guarded.post(`${path}/throttle`, { seconds: 600, reason: 'maintenance' }, bearer(token)),
      await guarded.post(`${path}/resume`, undefined, bearer(token)),
      await guarded.post(`${path}/set`, { requestsPerMinute: 7 }, bearer(token)),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      const [{ details }] = [body.limiters?.find((entry: { key: string }) => entry.key === key) ?? body];
      expect(details.stats).toMatchObject({ permits_in_use: 1, waiting: 1 });
      expect(JSON.stringify(body).includes(workflowId)).toBe(isShown);
    }
  }
  await run.terminate();
});

test.each([
  ['throttle', { seconds: 0, reason: 'x' }, 400],
  ['throttle', { seconds: 1e9, reason: 'x' }, 400],
  ['throttle', { seconds: 1 }, 400],
  ['set', {}, 400],
  ['set', { requestsPerMinute: 0 }, 400],
  ['set', { requestsPerMinute: 1.5 }, 400],
  ['set', { nothing: 1 }, 400],
  ['stop', {}, 404],
])('refuses %s of a limiter with %j', async (change, body, status) => {
  expect((await server.post(`/api/limiters/test/model-1/${change}`, body)).status).toBe(status);
});

test('answers 404 for a limiter that does not run', async () => {
  for (const key of ['test/other', 'test/..%2F..', "test/'%20OR%201=1", '%0A/x']) {
    expect((await server.post(`/api/limiters/${key}/resume`)).status, key).toBe(404);
  }
});
