import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultEnvironment } from '../../contract/defaults.ts';
import { limiterTaskQueue } from '../../contract/task-queues.ts';
import { ProviderLimits } from '../../contract/provider.ts';
import { TestLimiter } from '../support/limiter.ts';
import { longWav } from '../support/media.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';

let stack: TestStack;
let server: TestServer;

beforeAll(async () => {
  stack = await TestStack.start();
  server = await TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address });
});

afterAll(async () => {
  await server.stop();
  await stack.stop();
});

function file(name: string): string {
  return pathToFileURL(join(stack.container.mediaRoot, name)).href;
}

test('the queue counts who stands in line and who works, and an autoscaler is told the sum', async () => {
  expect((await server.get('/api/scale')).body).toEqual({ wanted: 0 });
  await copyFile(await longWav({ seconds: 3600 }), join(stack.container.mediaRoot, 'long.wav'));
  const runs = [1, 2, 3].map((number) => ({
    workflow: 'encode',
    input: { sourceUrl: file('long.wav'), outputs: [{ format: 'mp3_64', uploadUrl: file(`${number}.mp3`) }] },
  }));
  const { body } = await server.post('/api/runs:batch', { action: 'start', runs });
  const queue = await server.process.until('line', async () => {
    const answer = await server.get('/api/queue');
    return answer.body.busy === 1 && answer.body.backlog === 2 && answer.body;
  });
  expect(queue).toMatchObject({ backlog: 2, busy: 1, workers: 1, oldestSeconds: expect.any(Number) });
  await server.process.until('sum', async () => (await server.get('/api/scale')).body.wanted === 3);
  const ids = body.results.map(({ id }: { id: string }) => id);
  await server.post('/api/runs:batch', { action: 'cancel', ids });
  await server.process.until('empty line', async () => (await server.get('/api/scale')).body.wanted === 0);
});

test('a limiter is shown, throttled, resumed and set', async () => {
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

test.each([
  ['throttle', { seconds: 0, reason: 'x' }, 400],
  ['throttle', { seconds: 1e9, reason: 'x' }, 400],
  ['throttle', { seconds: 1 }, 400],
  ['set', {}, 400],
  ['set', { requestsPerMinute: 0 }, 400],
  ['set', { requestsPerMinute: 1.5 }, 400],
  ['set', { nothing: 1 }, 400],
  ['stop', {}, 404],
])('%s with %j is refused', async (change, body, status) => {
  expect((await server.post(`/api/limiters/test/model-1/${change}`, body)).status).toBe(status);
});

test('a limiter that does not run is not found', async () => {
  for (const key of ['test/other', 'test/..%2F..', "test/'%20OR%201=1", '%0A/x']) {
    expect((await server.post(`/api/limiters/${key}/resume`)).status, key).toBe(404);
  }
});
