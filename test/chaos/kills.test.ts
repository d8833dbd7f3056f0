import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { TestContainer } from '../support/container.ts';
import { longWav } from '../support/media.ts';
import { startS3 } from '../support/s3.ts';
import { patient, TestStack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { startToxiproxy, type Proxy } from '../support/toxiproxy.ts';
import { ChaosRun } from './support/chaos-run.ts';
import { Barrier } from './support/barrier.ts';
import { expectNoProcess } from './support/leftovers.ts';
import { rowsExcept } from '../support/rows.ts';
import { heldIn, phases as allPhases, type HeldRun, type Phase } from './support/phases.ts';
import { Seed } from './support/seed.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

/**
 * SIGKILL of each part in each phase, and SIGTERM where it ends a job too. The phases run in parallel, each with its
 * own container and worker.
 */

const seconds = 30;
const phases = rowsExcept(['download', 'verify', 'wait'], allPhases);

interface KillLane {
  phase: Phase;
  stack: TestStack;
  barrier: Barrier;
  store: Proxy;
}

const seed = new Seed();
const lanes = new Map<Phase, KillLane>();

const [temporal, s3, toxiproxy] = await Promise.all([
  stopAfterAll(startTemporal()),
  stopAfterAll(startS3()),
  stopAfterAll(startToxiproxy()),
]);
const wav = await longWav({ seconds, channels: 2 });
await copyFile(wav, join(s3.folder, 'media/in.wav'));
await Promise.all(
  phases.map(async (phase) => {
    const [barrier, store] = await Promise.all([Barrier.make(), toxiproxy.proxy(s3.endpoint)]);
    const stack = await TestStack.start({
      temporal,
      taskQueue: `chaos-${phase}`,
      // One process encodes everything, so that one barrier holds it.
      containerEnvironment: { ...patient, ...barrier.environment, ENCODE_PARALLELISM: '1', RETRY_AFTER_SECONDS: '3' },
      workerEnvironment: { ...s3.environment, AWS_ENDPOINT_URL_S3: store.url },
    });
    await copyFile(wav, join(stack.container.mediaRoot, 'in.wav'));
    lanes.set(phase, { phase, stack, barrier, store });
  }),
);

afterAll(async () => {
  await Promise.all([...lanes.values()].map(({ stack }) => stack.stop()));
  await Promise.all([...lanes.values()].map(({ barrier }) => barrier.remove()));
});

function laneOf(phase: Phase): KillLane {
  const lane = lanes.get(phase);
  if (lane === undefined) throw new Error(`no lane for ${phase}`);
  return lane;
}

async function holdRun(lane: KillLane): Promise<HeldRun> {
  const { stack, barrier, store } = lane;
  const inLane = { container: stack.container, barrier, store };
  const heldRun = await heldIn(lane.phase, inLane, () => ChaosRun.start(stack, s3, { sourceUrl: 's3://media/in.wav' }));
  await seed.moment();
  return heldRun;
}

/** Counts of a run without a fault. A run that waits for its turn asks more than once. */
function countsWithoutFault(phase: Phase) {
  return phase === 'wait' ? { connectionErrors: 0 } : { attempts: 1, rateLimitHits: 0, connectionErrors: 0 };
}

describe('SIGKILL of the worker', () => {
  test.concurrent.each(rowsExcept(['upload'], phases))(
    'the next worker joins a job whose worker was killed in %s',
    async (phase) => {
      const lane = laneOf(phase);
      const { run, release } = await holdRun(lane);
      await lane.stack.worker.stop('SIGKILL');
      await release();
      await lane.stack.startWorker();
      await run.expectWhole({ starts: 1, seconds, counts: countsWithoutFault(phase) });
    },
  );
});

async function killContainer(
  { stack }: KillLane,
  release: () => Promise<void>,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  await stack.container.process.stop(signal);
  await expectNoProcess(stack.container);
  await release();
  stack.containers[0] = await TestContainer.restart(stack.container);
}

describe('SIGKILL of the container', () => {
  test.concurrent.each(phases)(
    'a job whose container was killed in %s starts once more, if there was a job',
    async (phase) => {
      const lane = laneOf(phase);
      const { run, release } = await holdRun(lane);
      await killContainer(lane, release);
      await run.expectWhole({ starts: phase === 'wait' ? 1 : 2, seconds });
    },
  );
});

describe('SIGTERM of the container that gives its job no time to end', () => {
  test.concurrent.each(rowsExcept(['upload'], phases))(
    'a job whose container got no time to end in %s starts once more, if there was a job',
    async (phase) => {
      const lane = laneOf(phase);
      const { run, release } = await holdRun(lane);
      await killContainer(lane, release, 'SIGTERM');
      await run.expectWhole({ starts: phase === 'wait' ? 1 : 2, seconds });
    },
  );
});

describe('SIGKILL of worker and container together', () => {
  test.concurrent.each(rowsExcept(['encode'], phases))(
    'a job whose worker and container were killed in %s starts once more, if there was a job',
    async (phase) => {
      const lane = laneOf(phase);
      const { run, release } = await holdRun(lane);
      await Promise.all([lane.stack.worker.stop('SIGKILL'), killContainer(lane, release)]);
      await lane.stack.startWorker();
      await run.expectWhole({ starts: phase === 'wait' ? 1 : 2, seconds });
    },
  );
});

describe('the Temporal server', () => {
  test.each(rowsExcept(['SIGTERM'], ['SIGKILL', 'SIGTERM'] as const))(
    'jobs outlive a %s of the Temporal server, and their results are there when it is back',
    async (signal) => {
      const all = await Promise.all(phases.map(async (phase) => ({ phase, ...(await holdRun(laneOf(phase))) })));
      // Open connections would delay the end by two minutes.
      await temporal.process.stop(signal, 5_000);
      await Promise.all(all.map(({ release }) => release()));
      for (const { phase } of all) {
        const { container } = laneOf(phase).stack;
        await container.process.until('idle container', async () => (await container.health()).activeJobs === 0);
      }
      await temporal.restart();
      for (const { phase, run } of all) {
        await run.expectWhole({ starts: 1, seconds, counts: countsWithoutFault(phase) });
      }
    },
  );
});
