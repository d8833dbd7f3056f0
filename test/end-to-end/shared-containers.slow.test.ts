import { afterEach, expect, test } from 'vitest';
import { ChunkingOutcome } from '../../contract/workflow/chunking.ts';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer } from '../support/container.ts';
import { speechWav } from '../support/media.ts';
import { matrixTest } from '../support/rows.ts';
import { patient, TestStack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { startToxiproxy } from '../support/toxiproxy.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Independent workers share one container, and workers lose their connection while they hold its slot.

const containers: TestContainer[] = [];
const stacks: TestStack[] = [];

const [temporal, media, toxiproxy] = await Promise.all([
  stopAfterAll(startTemporal()),
  stopAfterAll(MediaServer.start()),
  stopAfterAll(startToxiproxy()),
]);
afterEach(async () => {
  await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
  await Promise.all(containers.splice(0).map((container) => container.stop()));
});

async function startContainer(): Promise<TestContainer> {
  const container = await TestContainer.start(patient);
  containers.push(container);
  return container;
}

async function startStack(taskQueue: string, url: string, environment = {}): Promise<TestStack> {
  const workerEnvironment = { CONTAINER_URLS: url, ...environment };
  const stack = await TestStack.start({ temporal, taskQueue, containers: 0, workerEnvironment });
  stacks.push(stack);
  return stack;
}

function encodeOf(sourceUrl: string) {
  return {
    sourceUrl,
    outputs: [{ format: 'mp3_64', uploadUrl: `${media.url}/${crypto.randomUUID()}` }],
    retry: { maxRetryTime: 36, baseDelay: 0.1, maxDelay: 3, retryBuffer: 0.3 },
  };
}

const atOnce = { attempts: 1, rateLimitHits: 0, connectionErrors: 0, elapsedSeconds: 0 };

matrixTest('an idle worker of another queue does not block the container', async () => {
  const container = await startContainer();
  const source = media.serve('/speech.wav', speechWav);
  const [one, other] = [await startStack('shared-1', container.url), await startStack('shared-2', container.url)];
  for (const stack of [other, one, other]) {
    const handle = await stack.run('encode', encodeOf(source));
    expect(EncodeOutcome.parse(await handle.result())).toMatchObject(atOnce);
  }
});

test('a worker without connection to Temporal leaves the container to others', async () => {
  const container = await startContainer();
  const source = media.serve('/speech.wav', speechWav);
  const wayToTemporal = await toxiproxy.proxy(temporal.address);
  const stack = await startStack('cut-off', container.url, { TEMPORAL_ADDRESS: wayToTemporal.url.slice(7) });
  // After this run, the worker is idle and holds the slot.
  await (await stack.run('encode', encodeOf(source))).result();
  await stack.addWorker({ TEMPORAL_ADDRESS: temporal.address });
  await wayToTemporal.cut();
  const handle = await stack.run('encode', encodeOf(source));
  expect(EncodeOutcome.parse(await handle.result())).toMatchObject(atOnce);
  await wayToTemporal.mend();
});

test('a worker killed before its container answers causes no second job on a free container', async () => {
  const [first, second] = [await startContainer(), await startContainer()];
  const gate = Promise.withResolvers<void>();
  const source = media.serve('/speech.wav', speechWav);
  const late = media.on('GET /late.wav', async (_, response) => {
    await gate.promise;
    response.writeHead(307, { location: source }).end();
  });
  const wayToFirst = await toxiproxy.proxy(first.url);
  const stack = await startStack('killed-early', wayToFirst.url);
  const removeLatency = await wayToFirst.poison('downstream', { type: 'latency', attributes: { latency: 900 } });
  const handle = await stack.run('encode', encodeOf(late));
  await first.process.untilLogged(/^\[JOB_START\]/);
  await stack.worker.stop('SIGKILL');
  await removeLatency();
  await stack.startWorker({ CONTAINER_URLS: `${second.url},${wayToFirst.url}` });
  await stack.untilStatus(handle, 'a job', ({ phase }) => phase === 'download');
  gate.resolve();
  expect(EncodeOutcome.parse(await handle.result())).toMatchObject({ attempts: 1 });
  const started = [first, second].map(({ process }) =>
    process.messages().filter((line) => line.startsWith('[JOB_START]')),
  );
  expect(started.map((lines) => lines.length)).toEqual([1, 0]);
});

matrixTest('a worker killed during an inspection leaves it to the next worker, even of another container', async () => {
  const [first, second] = [await startContainer(), await startContainer()];
  const gate = Promise.withResolvers<void>();
  const source = media.serve('/speech.wav', speechWav);
  const looked = media.on('GET /looked.wav', async (_, response) => {
    await gate.promise;
    response.writeHead(307, { location: source }).end();
  });
  const stack = await startStack('killed-looking', first.url);
  const input = { sourceUrl: looked, chunkDuration: 6, overlapDuration: 1, retry: encodeOf('').retry };
  const handle = await stack.run('chunking', { ...input, uploadUrlPrefix: second.fileUrl('chunks/') });
  await first.process.until('inspection that the server knows', async () => {
    const { raw } = await handle.describe();
    const details = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data ?? [];
    return Buffer.from(details).includes('"probing"');
  });
  await stack.worker.stop('SIGKILL');
  await stack.startWorker({ CONTAINER_URLS: second.url });
  gate.resolve();
  expect(ChunkingOutcome.parse(await handle.result())).toMatchObject({ attempts: 1, totalChunks: 3 });
  // One request for the inspection and one for the job.
  expect(media.count('GET /looked.wav')).toBe(2);
});
