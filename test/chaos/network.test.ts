import { createReadStream } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MediaServer } from '../fixtures/media-server.ts';
import { longWav } from '../support/media.ts';
import { startS3 } from '../support/s3.ts';
import { TestStack } from '../support/stack.ts';
import { startToxiproxy, type Proxy } from '../support/toxiproxy.ts';
import { ChaosRun } from './support/chaos-run.ts';
import { Barrier } from './support/barrier.ts';
import { matrixTest } from '../support/rows.ts';
import { heldIn } from './support/phases.ts';
import { stopAfterAll, stopAfterTest } from '../support/stop-after-all.ts';

/** Faults of a source, a store or a container on the network. */

const seconds = 10;

/** Proxy between the worker and the container. */
let way: Proxy;

const [s3, toxiproxy, barrier, media] = await Promise.all([
  stopAfterAll(startS3()),
  stopAfterAll(startToxiproxy()),
  stopAfterAll(Barrier.make()),
  stopAfterAll(MediaServer.start()),
]);
/** Proxy between the container and its store. */
const store = await toxiproxy.proxy(s3.endpoint);
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: {
      ...barrier.environment,
      ENCODE_PARALLELISM: '1',
      // A silent connection stalls after this time, which a loaded machine may need for a good answer.
      STALL_TIMEOUT_SECONDS: '10',
    },
    workerEnvironment: { ...s3.environment, AWS_ENDPOINT_URL_S3: store.url },
    wayTo: async (containerUrl) => {
      way = await toxiproxy.proxy(containerUrl);
      return way.url;
    },
  }),
);
const wav = await longWav({ seconds, channels: 2 });
const whole = await readFile(wav);
await copyFile(wav, join(s3.folder, 'media/in.wav'));

// A fault that a failed test has left would fail every test after it.
afterEach(() => toxiproxy.reset());

describe('a source', () => {
  type Reply = (response: ServerResponse, request: IncomingMessage) => void;

  const good: Reply = (response) => {
    response.setHeader('content-length', whole.length);
    createReadStream(wav).pipe(response);
  };

  let count = 0;
  /** The first answer is the fault; every further one is good. */
  function source(fault: Reply): string {
    count += 1;
    let asked = 0;
    return media.on(`GET /source-${count}.wav`, (request, response) => {
      asked += 1;
      (asked === 1 ? fault : good)(response, request);
    });
  }

  function sendHalf(response: ServerResponse): void {
    response.writeHead(200, { 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length / 2));
  }

  /** Waits until the container has some bytes: a reset discards what it has not read. */
  const untilSomeHasCome = () =>
    stack.container.process.until('bytes of the source', async () =>
      (await stack.container.call('GET', '/jobs?state=running')).body.jobs.some(
        ({ percent }: { percent: number }) => percent > 0,
      ),
    );

  test.each<[string, Reply]>([
    ['that stalls at half', sendHalf],
    [
      'that is reset at half',
      (response, request) => {
        sendHalf(response);
        void untilSomeHasCome().then(() => request.socket.resetAndDestroy());
      },
    ],
    [
      'that ends before the length that it promised',
      (response, request) => {
        sendHalf(response);
        void untilSomeHasCome().then(() => request.socket.end());
      },
    ],
  ])('a source %s is fetched again within the attempt', async (_fault, reply) => {
    const run = await ChaosRun.start(stack, s3, { sourceUrl: source(reply) });
    await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1, connectionErrors: 0, rateLimitHits: 0 } });
  });

  test('a source that answers 503 is fetched again by the next attempt', async () => {
    const run = await ChaosRun.start(stack, s3, {
      sourceUrl: source((response) => void response.writeHead(503).end()),
    });
    // The fault interrupted a download: no encode had begun.
    await run.expectWhole({ starts: 2, seconds, counts: { attempts: 2, connectionErrors: 1, rateLimitHits: 0 } });
  });

  matrixTest('a source that drips on for ever is fetched again by the next attempt', async () => {
    const brief = await stopAfterTest(
      TestStack.start({ containerEnvironment: { JOB_TIMEOUT_SECONDS: '20' }, workerEnvironment: s3.environment }),
    );
    const run = await ChaosRun.start(brief, s3, {
      sourceUrl: source((response, request) => {
        response.writeHead(200, { 'content-length': whole.length });
        const drip = setInterval(() => response.write('.'), 200);
        request.socket.on('close', () => clearInterval(drip));
      }),
    });
    await run.expectWhole({ starts: 2, seconds, counts: { attempts: 2, connectionErrors: 1, rateLimitHits: 0 } });
  });

  test('a source longer than its declared length is read up to that length', async () => {
    const run = await ChaosRun.start(stack, s3, {
      sourceUrl: source((response) => {
        response.writeHead(200, { 'content-length': whole.length });
        response.socket?.write('');
        response.write(whole);
        response.socket?.end('what nobody has asked for'.repeat(1000));
      }),
    });
    await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1 } });
  });
});

describe('a store', () => {
  const lane = () => ({ container: stack.container, barrier, store });
  const start = () => ChaosRun.start(stack, s3, { sourceUrl: 's3://media/in.wav' });
  let retriesBefore: number;
  beforeEach(() => {
    retriesBefore = retries();
  });
  const retries = () => stack.container.process.messages().filter((text) => text.startsWith('Upload failed')).length;
  const untilRetry = () => stack.container.process.until('another try to upload', () => retries() > retriesBefore);

  test('a store that refuses connections briefly is retried without another encode', async () => {
    const { run, release } = await heldIn('verify', lane(), start);
    await store.cut();
    await release();
    await untilRetry();
    expect(await run.listStored()).toEqual([]);
    await store.mend();
    await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1 } });
  });

  test('a store that refuses connections for long fails the attempt, and the next attempt succeeds', async () => {
    const { run, release } = await heldIn('verify', lane(), start);
    await store.cut();
    await release();
    await stack.untilStatus(run.handle, 'wait', ({ waiting }) => waiting?.reason === 'connection_error');
    await store.mend();
    // The encoded files go with their job, so a store that outlasts the retries of an upload costs an encode.
    const { connectionErrors } = await run.expectWhole({ starts: 2, seconds });
    expect(connectionErrors).toBeGreaterThanOrEqual(1);
  });

  test.each([
    ['resets the upload at half', 'upstream', 40_000],
    ['stores the object, but its answer is lost', 'downstream', 0],
  ] as const)('a store that %s gets the same bytes again without another encode', async (_fault, stream, bytes) => {
    const { run, release } = await heldIn('verify', lane(), start);
    const heal = await store.poison(stream, { type: 'limit_data', attributes: { bytes } });
    await release();
    await untilRetry();
    // An upload is visible only when it is complete.
    if (stream === 'upstream') expect(await run.listStored()).not.toContain('mp3_128');
    await heal();
    await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1 } });
  });
});

describe('a container', () => {
  const start = () => ChaosRun.start(stack, s3, { sourceUrl: 's3://media/in.wav' });

  test('a job continues while its container cannot be reached, and the next attempt joins it', async () => {
    const { run, release } = await heldIn('encode', { container: stack.container, barrier, store }, start);
    await way.cut();
    await stack.untilStatus(run.handle, 'wait', ({ waiting }) => waiting?.reason === 'connection_error');
    await release();
    await way.mend();
    await run.expectWhole({ starts: 1, seconds });
  });
});
