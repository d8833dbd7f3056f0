import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestContainer } from '../support/container.ts';
import { longWav, musicOgg } from '../support/media.ts';
import { startS3 } from '../support/s3.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { ChaosRun } from '../chaos/support/chaos-run.ts';
import { type ContainerLife, findDoubleWork } from '../chaos/support/job-lives.ts';
import { expectNothingLeft } from '../chaos/support/leftovers.ts';
import { Seed } from '../chaos/support/seed.ts';

/** Many short jobs on two containers and two workers, any of which may die at any moment. */

const killingMs = 45_000;
/** Runs that are open at any time; more than containers, so that some wait. */
const openRuns = 8;
/** Seconds of audio; enough for the containers to cut it into segments. */
const seconds = 60;

const seed = new Seed();
const s3 = await stopAfterAll(startS3());
await copyFile(await longWav({ seconds, channels: 2, source: musicOgg }), join(s3.folder, 'media/in.wav'));
const stack = await stopAfterAll(
  TestStack.start({
    containers: 2,
    containerEnvironment: { RETRY_AFTER_SECONDS: '1' },
    workerEnvironment: s3.environment,
  }),
);
let secondWorker = await stack.addWorker();
/** Every process that replaced a container. */
const lives: ContainerLife[] = stack.containers.map((container) => ({ container, killed: false }));

async function killContainer(index: number): Promise<void> {
  const container = stack.containers[index];
  const life = lives.find((other) => other.container === container);
  if (container === undefined || life === undefined) throw new Error(`no container ${index}`);
  life.killed = true;
  await container.process.stop('SIGKILL');
  await seed.moment(1_000);
  const next = await TestContainer.restart(container);
  stack.containers[index] = next;
  lives.push({ container: next, killed: false });
}

const kills: Record<string, () => Promise<void>> = {
  'first container': () => killContainer(0),
  'second container': () => killContainer(1),
  'first worker': async () => {
    await stack.worker.stop('SIGKILL');
    await seed.moment(1_000);
    await stack.startWorker();
  },
  'second worker': async () => {
    await secondWorker.stop('SIGKILL');
    await seed.moment(1_000);
    secondWorker = await stack.addWorker();
  },
};

test('every run ends well, with one successful job, whatever is killed', async () => {
  const endMs = Date.now() + killingMs;
  const runs: ChaosRun[] = [];
  const submitAndAwait = async (): Promise<void> => {
    while (Date.now() < endMs) {
      const run = await ChaosRun.start(stack, s3, { sourceUrl: 's3://media/in.wav' });
      runs.push(run);
      await run.handle.result();
    }
  };
  const victims: string[] = [];
  const killAtRandom = async (): Promise<void> => {
    while (Date.now() < endMs) {
      await seed.moment(6_000);
      const victim = seed.pick(Object.keys(kills));
      victims.push(victim);
      await kills[victim]?.();
    }
  };
  await Promise.all([killAtRandom(), ...Array.from({ length: openRuns }, submitAndAwait)]);
  console.log(`${runs.length} runs, killed: ${victims.join(', ')}`);

  for (const run of runs) {
    await run.expectStored(seconds);
    expect(findDoubleWork(lives, run.idempotencyKey)).toEqual([]);
  }
  for (const container of stack.containers) await expectNothingLeft(container);
}, 240_000);
