import { expect, test } from 'vitest';
import type { WebhookMessage } from '../../contract/workflow/webhook.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { speechWav } from '../support/media.ts';
import { TestServer } from '../support/server.ts';
import { patient, TestStack } from '../support/stack.ts';
import { stopAfterAll, stopAfterTest } from '../support/stop-after-all.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const [media, receiver] = await Promise.all([stopAfterAll(MediaServer.start()), stopAfterAll(WebhookReceiver.start())]);
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: patient,
    workerEnvironment: {
      WEBHOOK_SECRET_ACME: secret,
      WEBHOOK_SECRET_ACME_ORIGINS: new URL(receiver.url).origin,
      WEBHOOK_SECRET_ACME_OWNERS: 'ana',
      WEBHOOK_SECRET_ANYWHERE: secret,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
    },
  }),
);

function encodeOf(sourceUrl: string, url = receiver.url) {
  const outputs = [{ format: 'mp3_64', uploadUrl: `${media.url}/out.mp3` }];
  return { sourceUrl, outputs, owner: 'ana', webhook: { url, secret: 'acme' } };
}

function messagesOf(workflowId: string): WebhookMessage[] {
  const byId = new Map<unknown, WebhookMessage>();
  for (const [index, message] of receiver.verified(secret).entries()) {
    if (message.data.id === workflowId) byId.set(receiver.received[index]?.headers['webhook-id'], message);
  }
  return [...byId.values()].toSorted((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
}

/** Waits for all messages, because a retried message may arrive after later ones. */
async function untilReceived(workflowId: string, type: string, count: number): Promise<WebhookMessage[]> {
  return await stack.worker.until(`${type} of ${workflowId}`, async () => {
    const messages = messagesOf(workflowId);
    return messages.length === count && messages.at(-1)?.type === type ? messages : undefined;
  });
}

test('a receiver gets start, wait and end of a run, even after a failed delivery', async () => {
  receiver.answer = (response, count) =>
    count === 1 ? response.writeHead(503, { 'retry-after': '1' }).end() : response.writeHead(204).end();
  let isThere = false;
  const speech = media.serve('/speech.wav', speechWav);
  const source = media.on('GET /late.wav', (_, response) => {
    if (isThere) response.writeHead(307, { location: speech }).end();
    else response.writeHead(503).end();
    isThere = true;
  });
  const handle = await stack.run('encode', { ...encodeOf(source), retry: { baseDelay: 1 } });
  await handle.result();
  const messages = await untilReceived(handle.workflowId, 'run.completed', 3);
  expect(messages.map(({ type, data }) => [type, data.state, data.owner])).toEqual([
    ['run.started', 'queued', 'ana'],
    ['run.waiting', 'waiting', 'ana'],
    ['run.completed', 'succeeded', 'ana'],
  ]);
  expect(messages[1]?.data.waiting).toMatchObject({ reason: 'connection_error', seconds: 1 });
  // The first message was sent twice, under one id.
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([4, 3]);
});

test('a run that is reset goes on and sends the rest of its messages', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const speech = media.serve('/speech.wav', speechWav);
  const source = media.on('GET /held.wav', async (_, response) => {
    await released;
    response.writeHead(307, { location: speech }).end();
  });
  const handle = await stack.run('encode', encodeOf(source));
  await stack.untilStatus(handle, 'job under way', ({ state }) => state === 'running');
  await stack.temporal.cli(
    ...['workflow', 'reset', '--workflow-id', handle.workflowId, '--type', 'LastWorkflowTask', '--reason', 'a test'],
  );
  release();
  await stack.client.workflow.getHandle(handle.workflowId).result();
  const messages = await untilReceived(handle.workflowId, 'run.completed', 2);
  expect(messages.map(({ type }) => type)).toEqual(['run.started', 'run.completed']);
});

test('reports failures and cancellations with their reason', async () => {
  const broken = media.on('GET /broken.wav', (_, response) => void response.end('no audio at all'));
  const failing = await stack.run('encode', encodeOf(broken));
  await expect(failing.result()).rejects.toThrow();
  expect((await untilReceived(failing.workflowId, 'run.failed', 2)).at(-1)?.data).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('source'),
  });

  const endless = media.on('GET /endless.wav', (_, response) => void response.writeHead(200).write('RIFF'));
  const cancelled = await stack.run('encode', encodeOf(endless));
  await stack.untilStatus(cancelled, 'at work', ({ state }) => state === 'running');
  await cancelled.cancel();
  await expect(cancelled.result()).rejects.toThrow();
  expect((await untilReceived(cancelled.workflowId, 'run.cancelled', 2)).map(({ type }) => type)).toEqual([
    'run.started',
    'run.cancelled',
  ]);
});

test('unreachable and silent receivers do not delay a run', async () => {
  // Separate receivers, because retried messages must not mix with those of other tests.
  const [gone, silent] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
  await gone.stop();
  silent.answer = () => undefined;
  const speech = media.serve('/speech.wav', speechWav);
  for (const url of [gone.url, silent.url, 'http://169.254.169.254/latest']) {
    const { owner: _, ...input } = encodeOf(speech);
    const handle = await stack.run('encode', { ...input, webhook: { url, secret: 'anywhere' } });
    expect(await handle.result()).toMatchObject({ attempts: 1, outputs: [{ format: 'mp3_64' }] });
  }
  await silent.stop();
});

test('the server lists all tries of each message and resends messages with their ids', async () => {
  const server = await stopAfterTest(TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address }));
  receiver.answer = (response) => response.writeHead(410).end();
  const { webhook, ...input } = encodeOf(media.serve('/speech.wav', speechWav), `${receiver.url}?token=secret`);
  const { body } = await server.post('/api/runs', { workflow: 'encode', input, webhook });
  const path = `/api/runs/${body.id}/webhooks`;
  const refused = await server.process.until('both messages', async () => {
    const { messages, url } = (await server.get(path)).body;
    return messages.length === 2 && messages.every(isFailed) && { messages, url };
  });
  expect(refused).toMatchObject({
    url: receiver.url,
    messages: [
      { event: 'run.started', tries: [{ kind: 'gone', status: 410, message: 'the receiver answered 410' }] },
      { event: 'run.completed', tries: [{ kind: 'gone' }] },
    ],
  });
  receiver.answer = (response) => response.writeHead(204).end();
  receiver.received.length = 0;
  const last = refused.messages[1].id;
  expect(await server.post(`${path}/replay`, { ids: [last] })).toMatchObject({ status: 202 });
  const again = await server.process.until('the message again', async () => {
    const { messages } = (await server.get(path)).body;
    return messages.length === 3 && messages[2].state === 'delivered' && messages[2];
  });
  expect(again).toMatchObject({ id: last, event: 'run.completed', timestamp: refused.messages[1].timestamp });
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([last]);
  expect(receiver.verified(secret)[0]).toMatchObject({ type: 'run.completed', data: { id: body.id } });
  expect(await server.post(`${path}/replay`, { ids: ['msg_none'] })).toMatchObject({ status: 404 });
});

function isFailed({ state }: { state: string }): boolean {
  return state === 'failed';
}

test('an unknown secret fails the run at its start', async () => {
  const input = encodeOf(media.serve('/speech.wav', speechWav));
  const handle = await stack.run('encode', { ...input, webhook: { url: receiver.url, secret: 'nobodys' } });
  await expect(handle.result()).rejects.toMatchObject({
    cause: {
      type: 'InvalidRequest',
      message: expect.stringContaining('webhook.secret is "nobodys", but the workers have no WEBHOOK_SECRET_NOBODYS'),
    },
  });
});
