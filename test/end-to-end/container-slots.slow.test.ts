import type { WorkflowHandle } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer } from '../support/container.ts';
import { RunHistory } from '../support/history.ts';
import { speechWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import { matrixTest } from '../support/rows.ts';
import { patient, TestStack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { stopAfterAll, stopAfterTest } from '../support/stop-after-all.ts';

// Many runs over changing containers and workers: each run stays queued until a container is ready and free.

let stack: TestStack | undefined;
let queues = 0;

const [temporal, media] = await Promise.all([stopAfterAll(startTemporal()), stopAfterAll(MediaServer.start())]);
type Options = NonNullable<Parameters<typeof TestStack.start>[0]>;

async function startStack(options: Options): Promise<TestStack> {
  queues += 1;
  stack = await stopAfterTest(
    TestStack.start({ temporal, taskQueue: `slots-${queues}`, containerEnvironment: patient, ...options }),
  );
  return stack;
}

/** A hundredth of the default waits. */
const retry = { maxRetryTime: 36, baseDelay: 0.1, maxDelay: 3, retryBuffer: 0.3 };

async function startRun(stack: TestStack, index: number, sourceUrl: string): Promise<WorkflowHandle> {
  const outputs = [{ format: 'mp3_64', uploadUrl: `${media.url}/out-${queues}-${index}` }];
  return await stack.run('encode', { sourceUrl, outputs, retry });
}

/** Queues runs one after the other; the first ones occupy the containers until all are queued. */
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

/** Indexes of the runs in the order in which their jobs started, with repetitions for restarted jobs. */
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

test('a dead container takes no run from a healthy one', async () => {
  const dead = `http://127.0.0.1:${await freePort()}`;
  const one = await startStack({ wayTo: async (url) => `${dead},${url}` });
  await expectAtOnceAndInOrder(await startRuns(one, 6), one.containers);
});

matrixTest('a worker without a reachable container takes no run from another worker', async () => {
  const one = await startStack({});
  const dead = `http://127.0.0.1:${await freePort()}`;
  await one.addWorker({ CONTAINER_URLS: dead });
  await expectAtOnceAndInOrder(await startRuns(one, 6), one.containers);
});

test('two workers share one container', async () => {
  const one = await startStack({});
  await one.addWorker();
  await expectAtOnceAndInOrder(await startRuns(one, 6), one.containers);
});

test('after a worker restart, both containers continue and no job starts twice', async () => {
  const one = await startStack({ containers: 2 });
  const handles = await startRuns(one, 6);
  await one.worker.until('two jobs', () => logged(one.containers, '[JOB_START]').length >= 3);
  await one.worker.stop('SIGKILL');
  const isIdleSince = one.containers.map((container) => {
    const started = logged([container], '[JOB_START]').length;
    return () => logged([container], '[JOB_START]').length === started;
  });
  await one.startWorker();
  await outcomesOf(handles);
  // The killed worker keeps its last slot reservation for a while, in which the other container may empty the queue.
  while (isIdleSince.some((isIdle) => isIdle())) {
    const more = await startRun(one, handles.length, media.serve('/speech.wav', speechWav));
    handles.push(more);
    await more.result();
  }
  for (const outcome of await outcomesOf(handles)) expect(outcome).toMatchObject({ rateLimitHits: 0 });
  expect(logged(one.containers, '[RATE_LIMIT]')).toEqual([]);
  expect((await startOrder(handles, one.containers)).toSorted((a, b) => a - b)).toEqual(handles.map((_, i) => i));
});

test('queued runs survive adding one container and removing another', async () => {
  const one = await startStack({});
  const added = await stopAfterTest(TestContainer.start());
  const containers = [one.container, added];
  const handles = await startRuns(one, 16);
  // Later runs wait for their source until the new worker has started; otherwise all might finish before.
  const isThere = Promise.withResolvers<void>();
  const speech = await readFile(speechWav);
  media.on('GET /speech.wav', async (_, response) => {
    if (logged([one.container], '[JOB_END]').length >= 3) await isThere.promise;
    response.writeHead(200, { 'content-length': speech.length }).end(speech);
  });
  await one.container.process.until('some jobs', () => logged([one.container], '[JOB_END]').length >= 3);
  await one.addWorker({ CONTAINER_URLS: added.url });
  isThere.resolve();
  await added.process.until('jobs at both', () => logged([added], '[JOB_END]').length >= 3);
  await one.container.process.stop('SIGKILL');
  const outcomes = await outcomesOf(handles);
  // Only the run whose job died with its container may notice.
  expect(outcomes.filter(({ connectionErrors }) => connectionErrors > 0).length).toBeLessThanOrEqual(1);
  for (const outcome of outcomes) expect(outcome.rateLimitHits).toBe(0);
  expect(logged(containers, '[RATE_LIMIT]')).toEqual([]);
});
