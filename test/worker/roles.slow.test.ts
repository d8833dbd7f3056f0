import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MediaServer } from '../fixtures/media-server.ts';
import { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { speechWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import type { TestProcess } from '../support/process.ts';
import { patient, TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Longer than the 5 s for which a stopping worker stays by default (WORKER_DRAIN_SECONDS). */
const longerThanTheDefaultMs = 8_000;

const workflowsPort = await freePort();
const [stack, media, receiver] = await Promise.all([
  stopAfterAll(
    TestStack.start({
      containerEnvironment: patient,
      workerEnvironment: { WORKER_ROLES: 'workflows', METRICS_PORT: String(workflowsPort) },
    }),
  ),
  stopAfterAll(MediaServer.start()),
  stopAfterAll(WebhookReceiver.start()),
]);

async function probe(port: number, path: string): Promise<{ status: number; body: any }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.json() };
}

function addWorker(role: string, environment: Record<string, string> = {}): Promise<TestProcess> {
  return stack.addWorker({ WORKER_ROLES: role, METRICS_PORT: '', ...environment });
}

test('each role does only its part of a run, and a stopping worker follows its container’s job to the end', async () => {
  receiver.answer = (response) => response.writeHead(204).end();
  const speech = await readFile(speechWav);
  let release: (() => void) | undefined;
  const source = media.on('GET /slow.wav', (_, response) => {
    response.writeHead(200, { 'content-length': speech.length }).write(speech.subarray(0, 4_096));
    release = () => response.end(speech.subarray(4_096));
  });
  const handle = await stack.run('encode', {
    sourceUrl: source,
    outputs: [{ format: 'mp3_64', uploadUrl: `${media.url}/out.mp3` }],
    webhook: { url: receiver.url, secret: 'acme' },
  });

  expect(await probe(workflowsPort, '/health')).toMatchObject({
    status: 200,
    body: { status: 'healthy', roles: ['workflows'], workers: [{ taskQueue: 'holdfast', state: 'RUNNING' }, {}] },
  });
  expect(await probe(workflowsPort, '/ready')).toEqual({ status: 200, body: { status: 'ready' } });
  const scrape = async (): Promise<Response> => await fetch(`http://127.0.0.1:${workflowsPort}/metrics`);
  expect((await scrape()).headers.get('content-type')).toMatch(/^text\/plain/);
  expect((await probe(workflowsPort, '/nothing')).status).toBe(404);
  await stack.untilStatus(handle, 'in the queue', ({ state }) => state === 'queued');
  // The SDK updates its figures a moment after a task.
  await expect
    .poll(async () => await (await scrape()).text())
    .toMatch(/^temporal_workflow_task_queue_poll_succeed_total\{/m);
  expect(receiver.received).toHaveLength(0);

  await addWorker('webhooks', { WEBHOOK_SECRET_ACME: secret, ALLOW_PRIVATE_ADDRESSES: '127.0.0.1' });
  await stack.worker.until('the first message', async () => receiver.received.length > 0);
  expect(receiver.verified(secret)[0]).toMatchObject({ type: 'run.started', data: { state: 'queued' } });
  expect(release).toBeUndefined();

  const port = await freePort();
  const encoding = await addWorker('container', { METRICS_PORT: String(port), WORKER_DRAIN_SECONDS: '600' });
  const polls = /^temporal_num_pollers\{[^}]*task_queue="holdfast-inspect"\} (\d+)$/m;
  const pollsForLooks = async (): Promise<string | undefined> =>
    polls.exec(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())?.[1];
  // A Temporal frontend allows 1,200 polls of all workers together.
  await expect.poll(pollsForLooks).toBe('2');
  await stack.untilStatus(handle, 'at work', ({ state }) => state === 'running');
  await stack.worker.until('the source was asked for', async () => release !== undefined);
  const stopping = encoding.stop('SIGTERM', 120_000);
  await encoding.until('draining', async () => (await probe(port, '/ready')).body.reason === 'draining');
  await delay(longerThanTheDefaultMs);
  expect((await probe(port, '/health')).body.workers).toContainEqual(
    expect.objectContaining({
      taskQueue: expect.stringMatching(/^holdfast-machine-/),
      activities: 1,
      state: 'DRAINING',
    }),
  );
  release?.();
  expect(await handle.result()).toMatchObject({ attempts: 1, outputs: [{ format: 'mp3_64' }] });
  expect(await stopping).toEqual({ code: 0, signal: null });
  await stack.worker.until('the end is told', async () => receiver.verified(secret).at(-1)?.type === 'run.completed');
});

test('fails a run at its start if the worker with all roles lacks its webhook secret', async () => {
  const all = await addWorker('workflows,container,webhooks');
  await stack.worker.stop('SIGTERM');
  const handle = await stack.run('encode', {
    sourceUrl: media.serve('/speech.wav', speechWav),
    outputs: [{ format: 'mp3_64', uploadUrl: `${media.url}/out.mp3` }],
    webhook: { url: receiver.url, secret: 'acme' },
  });
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('but the workers have no WEBHOOK_SECRET_ACME') },
  });
  await all.stop('SIGTERM');
});
