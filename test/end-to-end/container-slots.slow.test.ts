import type { WorkflowHandle } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer } from '../support/container.ts';
import { RunHistory } from '../support/history.ts';
import { speechWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import { TestStack } from '../support/stack.ts';
import { startTemporal, type TemporalServer } from '../support/temporal.ts';

// Many runs over containers and workers that come and go: each run waits in the queue until a container is ready and free.

let temporal: TemporalServer;
let media: MediaServer;
let stack: TestStack | undefined;
let queues = 0;

beforeAll(async () => {
  [temporal, media] = await Promise.all([startTemporal(), MediaServer.start()]);
});
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});
afterAll(() => Promise.all([temporal.stop(), media.stop()]));

type Options = NonNullable<Parameters<typeof TestStack.start>[0]>;

async function startStack(options: Options): Promise<TestStack> {
  queues += 1;
  stack = await TestStack.start({ temporal, taskQueue: `slots-${queues}`, ...options });
  return stack;
}

/** One hundredth of the waits that users have. */
const retry = { maxRetryTime: 36, baseDelay: 0.1, maxDelay: 3, retryBuffer: 0.3 };

async function startRun(stack: TestStack, index: number, sourceUrl: string): Promise<WorkflowHandle> {
  const outputs = [{ format: 'mp3_64', uploadUrl: `${media.url}/out-${queues}-${index}` }];
  return await stack.run('encode', { sourceUrl, outputs, retry });
}

/** Started one after the other: each is in the queue before the next, and the first holds the container until all are. */
async function startRuns(stack: TestStack, count: number): Promise<WorkflowHandle[]> {
  const source = media.serve('/speech.wav', speechWav);
  const allQueued = Promise.withResolvers<void>();
  const first = media.on('GET /first.wav', async (_, response) => {
    await allQueued.promise;
    response.writeHead(307, { location: source }).end();
  });
  const handles: WorkflowHandle[] = [];
  for (let index = 0; index < count; index += 1) {
    const isFirst = index < stack.containers.length;
    const handle = await startRun(stack, index, isFirst ? first : source);
    await stack.untilStatus(
      handle,
      'queue',
      ({ state, attempt }) => attempt === 1 && (!isFirst || state === 'running'),
    );
    handles.push(handle);
  }
  allQueued.resolve();
  return handles;
}

async function outcomesOf(handles: readonly WorkflowHandle[]): Promise<EncodeOutcome[]> {
  return await Promise.all(handles.map(async (handle) => EncodeOutcome.parse(await handle.result())));
}

function logged(containers: readonly TestContainer[], prefix: string) {
  return containers
    .flatMap(({ process }) => process.logLines.filter(({ msg }) => msg?.startsWith(prefix)))
    .toSorted((a, b) => Date.parse(String(a['time'])) - Date.parse(String(b['time'])));
}

/** The runs by the order in which their jobs were started; more than once where a job was started again. */
async function startOrder(handles: readonly WorkflowHandle[], containers: readonly TestContainer[]): Promise<number[]> {
  const runIds = await Promise.all(handles.map(async (handle) => (await handle.describe()).runId));
  return logged(containers, '[JOB_START]').map(({ idempotencyKey }) =>
    runIds.indexOf(String(idempotencyKey).split(':')[0] ?? ''),
  );
}

async function expectAtOnceAndInOrder(
  handles: readonly WorkflowHandle[],
  containers: readonly TestContainer[],
): Promise<void> {
  for (const outcome of await outcomesOf(handles)) {
    expect(outcome).toMatchObject({ attempts: 1, rateLimitHits: 0, connectionErrors: 0, elapsedSeconds: 0 });
  }
  expect(logged(containers, '[RATE_LIMIT]')).toEqual([]);
  const queuedAt = await Promise.all(
    handles.map(async (handle) => (await RunHistory.of(handle)).secondsOf('encode')[0]),
  );
  const order = await startOrder(handles, containers);
  expect(order.map((index) => queuedAt[index])).toEqual(queuedAt.toSorted((a = 0, b = 0) => a - b));
}

describe('runs over containers and workers that come and go', () => {
  test('a dead container beside a healthy one takes no run from it', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const one = await startStack({ wayTo: async (url) => `${dead},${url}` });
    await expectAtOnceAndInOrder(await startRuns(one, 12), one.containers);
  });

  test('a worker that reaches no container takes no run from a worker that does', async () => {
    const one = await startStack({});
    const dead = `http://127.0.0.1:${await freePort()}`;
    await one.addWorker({ CONTAINER_URLS: dead });
    await expectAtOnceAndInOrder(await startRuns(one, 12), one.containers);
  });

  test('two workers on one container take turns', async () => {
    const one = await startStack({});
    await one.addWorker();
    await expectAtOnceAndInOrder(await startRuns(one, 12), one.containers);
  });

  test('after a restart of the worker both containers work on, and no job is started twice', async () => {
    const one = await startStack({ containers: 2 });
    const handles = await startRuns(one, 12);
    await one.worker.until('two jobs', () => logged(one.containers, '[JOB_START]').length >= 3);
    await one.worker.stop('SIGKILL');
    const isIdleSince = one.containers.map((container) => {
      const started = logged([container], '[JOB_START]').length;
      return () => logged([container], '[JOB_START]').length === started;
    });
    await one.startWorker();
    await outcomesOf(handles);
    // The slot that the killed worker was promised last stays promised to it for a while, in which the other container may end the queue.
    while (isIdleSince.some((isIdle) => isIdle())) {
      const more = await startRun(one, handles.length, media.serve('/speech.wav', speechWav));
      handles.push(more);
      await more.result();
    }
    for (const outcome of await outcomesOf(handles)) expect(outcome).toMatchObject({ rateLimitHits: 0 });
    expect(logged(one.containers, '[RATE_LIMIT]')).toEqual([]);
    expect((await startOrder(handles, one.containers)).toSorted((a, b) => a - b)).toEqual(handles.map((_, i) => i));
  }, 120_000);

  test('a container is added and one removed under a queue of thirty runs', async () => {
    const one = await startStack({});
    const added = await TestContainer.start();
    try {
      const containers = [one.container, added];
      const handles = await startRuns(one, 30);
      // A worker may take longer to start than all of them to be encoded: the later ones have no source before it is there.
      const isThere = Promise.withResolvers<void>();
      const speech = await readFile(speechWav);
      media.on('GET /speech.wav', async (_, response) => {
        if (logged([one.container], '[JOB_END]').length >= 5) await isThere.promise;
        response.writeHead(200, { 'content-length': speech.length }).end(speech);
      });
      await one.container.process.until('some jobs', () => logged([one.container], '[JOB_END]').length >= 5);
      await one.addWorker({ CONTAINER_URLS: added.url });
      isThere.resolve();
      await added.process.until('jobs at both', () => logged([added], '[JOB_END]').length >= 5);
      await one.container.process.stop('SIGKILL');
      const outcomes = await outcomesOf(handles);
      // Nobody but the run whose job went with its container has noticed.
      expect(outcomes.filter(({ connectionErrors }) => connectionErrors > 0).length).toBeLessThanOrEqual(1);
      for (const outcome of outcomes) expect(outcome.rateLimitHits).toBe(0);
      expect(logged(containers, '[RATE_LIMIT]')).toEqual([]);
    } finally {
      await added.stop();
    }
  }, 120_000);
});
