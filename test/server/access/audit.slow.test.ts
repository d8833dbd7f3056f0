import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { defaultEnvironment } from '../../../contract/defaults.ts';
import { ProviderLimits } from '../../../contract/provider.ts';
import { limiterTaskQueue } from '../../../contract/task-queues.ts';
import { WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { TestLimiter } from '../../support/limiter.ts';
import { speechWav } from '../../support/media.ts';
import type { TestProcess } from '../../support/process.ts';
import { type ServerAnswer, TestServer } from '../../support/server.ts';
import { TestStack } from '../../support/stack.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { useFolder } from '../../support/folder.ts';

const token = 'audited-0123456789abcdef';
const authorization = `Bearer ${token}`;
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const folder = useFolder();
const file = join(folder, 'tokens.json');
await writeFile(file, JSON.stringify([{ token, scopes: ['read', 'run', 'operate'] }]));
const receiver = await stopAfterAll(WebhookReceiver.start());
const stack = await stopAfterAll(
  TestStack.start({
    workerEnvironment: {
      WEBHOOK_SECRET_ACME: webhookSecret,
      WEBHOOK_SECRET_ACME_ORIGINS: new URL(receiver.url).origin,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'debug',
    },
  }),
);
await copyFile(speechWav, join(stack.container.mediaRoot, 'talk.wav'));
const server = await stopAfterAll(
  TestServer.start({
    TEMPORAL_ADDRESS: stack.temporal.address,
    SERVER_TOKENS_FILE: file,
    SERVER_REQUESTS_PER_MINUTE: '1000000',
    MEDIA_ROOT: stack.container.mediaRoot,
  }),
);

const fileUrl = (name: string): string => pathToFileURL(join(stack.container.mediaRoot, name)).href;

function encode(out: string, more: object = {}): object {
  const input = { sourceUrl: fileUrl('talk.wav'), outputs: [{ format: 'mp3_64', uploadUrl: fileUrl(out) }], ...more };
  return { workflow: 'encode', input };
}

async function post(path: string, requestId: string, body?: unknown): Promise<ServerAnswer> {
  return await server.post(path, body, { authorization, 'x-request-id': requestId });
}

/** Facts of the audit log about a request. */
async function recorded(requestId: string, count = 1): Promise<unknown[]> {
  return await server.process.until('lines of the audit log', () => {
    const lines = server.process.logLines.filter((line) => line['audit'] === true && line['requestId'] === requestId);
    return (
      lines.length >= count &&
      lines.map(({ actor, owner, action, target, created, outcome, status, code, change }) => {
        expect([actor, owner]).toEqual(['token 1', undefined]);
        return { action, target, created, outcome, status, code, change };
      })
    );
  });
}

async function untilState(id: string, state: string): Promise<ServerAnswer> {
  return await server.process.until(`state ${state}`, async () => {
    const answer = await server.get(`/api/runs/${id}`, { authorization });
    return answer.body.state === state && answer;
  });
}

function linesOf(process: TestProcess): string[] {
  return process.logLines.filter((line) => line['requestId'] === 'one id').map(({ msg = '' }) => msg);
}

test('one id finds the lines of a request in the server, its run, its job and its webhooks', async () => {
  const webhook = { url: receiver.url, secret: 'acme' };
  const started = await post('/api/runs', 'one id', encode('one.mp3', { webhook }));
  expect(started).toMatchObject({ status: 201, headers: { 'x-request-id': 'one id' } });
  const { id } = started.body;
  expect(await recorded('one id')).toMatchObject([
    { action: 'run.start', target: id, outcome: 'succeeded', status: 201 },
  ]);
  await untilState(id, 'succeeded');
  await server.process.until('webhooks', () => receiver.received.length === 2);

  await server.process.until('lines of the server', () => linesOf(server.process).includes('request completed'));
  await stack.worker.until('lines of the worker', () => {
    const ofActivities = stack.worker.logLines.filter(
      (line) => line['requestId'] === 'one id' && line.msg === 'Activity completed',
    );
    const types = new Set(ofActivities.map(({ activityType }) => activityType));
    return ['prepare', 'encode', 'followJob', 'sendWebhook'].every((type) => types.has(type));
  });
  expect(linesOf(stack.worker)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^Encoding attempt 1 for format mp3_64/)]),
  );
  await expect
    .poll(() => linesOf(stack.container.process))
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\[JOB_START\] Started encoding job/),
        expect.stringMatching(/^\[JOB_END\] Completed encoding job/),
        'request completed',
      ]),
    );
});

test('records who started, repeated, cancelled and downloaded, with the runs that were started', async () => {
  const { body: run, status } = await post('/api/runs', 'start', encode('two.mp3'));
  expect(status).toBe(201);
  const { body: ended } = await untilState(run.id, 'succeeded');
  const { body: again } = await post(`/api/runs/${run.id}/rerun`, 'rerun', {});
  expect(await recorded('rerun')).toMatchObject([
    { action: 'run.rerun', target: run.id, created: again.id, outcome: 'succeeded', status: 201 },
  ]);

  const batch = { action: 'cancel', ids: [run.id, 'nothing'] };
  expect((await post('/api/runs:batch', 'batch', batch)).status).toBe(200);
  expect(await recorded('batch', 2)).toMatchObject([
    { action: 'run.cancel', target: run.id, outcome: 'failed', status: 409, code: 'run_ended' },
    { action: 'run.cancel', target: 'nothing', outcome: 'failed', status: 404, code: 'not_found' },
  ]);

  const file = ended.files.find(({ url }: { url: string }) => url.includes('two.mp3'));
  const link = new URL(file.url, server.url);
  const download = await fetch(link, { headers: { 'x-request-id': 'download' } });
  await download.arrayBuffer();
  expect(download.status).toBe(200);
  const line = await server.process.until('download', () =>
    server.process.logLines.find(({ audit, requestId }) => audit === true && requestId === 'download'),
  );
  expect(line).toMatchObject({ actor: 'unknown', action: 'file.download', target: 'two.mp3', outcome: 'succeeded' });
  expect(server.process.output).not.toContain(link.searchParams.get('signature'));
});

test('records the limits that an operator sets', async () => {
  const key = 'test/model-1';
  const limiter = new TestLimiter(stack.client, {
    workflowId: `limiter/${defaultEnvironment}/${key}`,
    taskQueue: limiterTaskQueue(defaultEnvironment),
    args: [key, { limits: ProviderLimits.parse({}) }],
  });
  await limiter.send({ from: { workflowId: 'nobody', firstRunId: 'nobody' } });
  const path = `/api/limiters/${key}`;
  expect(await post(`${path}/set`, 'set', { requestsPerMinute: 7 })).toMatchObject({ status: 200 });
  expect(await recorded('set')).toMatchObject([
    { action: 'limiter.set', target: key, outcome: 'succeeded', change: { requestsPerMinute: 7 } },
  ]);
  await post(`${path}/throttle`, 'throttle', { seconds: 600, reason: 'a reason that is not for the log' });
  expect(await recorded('throttle')).toMatchObject([{ action: 'limiter.throttle', change: { seconds: 600 } }]);
  expect(server.process.output).not.toMatch(/not for the log|0123456789abcdef/);
});
