import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TestContainer } from '../support/container.ts';
import { ffmpegProcessesUnder } from '../support/ffmpeg-processes.ts';
import { longWav, musicOgg } from '../support/media.ts';
import { startS3 } from '../support/s3.ts';
import { TestStack } from '../support/stack.ts';
import { matrixTest } from '../support/rows.ts';
import { ChaosRun } from './support/chaos-run.ts';
import { Seed } from './support/seed.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

/** Parts are stopped in order, frozen or thawed; ffmpeg alone is killed under a living container. */

/** Seconds of audio; long enough for a fault during the encode. */
const seconds = 120;
const stallTimeoutSeconds = 4;

const seed = new Seed();

const s3 = await stopAfterAll(startS3());
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: {
      ENCODE_PARALLELISM: '1',
      STALL_TIMEOUT_SECONDS: `${stallTimeoutSeconds}`,
      DRAIN_TIMEOUT_SECONDS: '120',
    },
    workerEnvironment: s3.environment,
  }),
);
await copyFile(await longWav({ seconds, channels: 2, source: musicOgg }), join(s3.folder, 'media/long.wav'));

interface Encoding {
  run: ChaosRun;
  /** Process ids */
  ffmpeg: number[];
}

async function encoding(): Promise<Encoding> {
  const run = await ChaosRun.start(stack, s3, { sourceUrl: 's3://media/long.wav' });
  await stack.container.untilEncoding();
  await seed.moment();
  return { run, ffmpeg: await ffmpegProcessesUnder(stack.container.scratchDir) };
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) process.kill(pid, name);
}

describe('ffmpeg', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('ffmpeg that is ended by %s fails the run with a name', async (name) => {
    const { run, ffmpeg } = await encoding();
    expect(ffmpeg).not.toEqual([]);
    signal(ffmpeg, name);
    const failure = await run.expectFailed('FfmpegFailed');
    expect(failure.code).toBe('ffmpeg_failed');
  });

  test('ffmpeg that is frozen by SIGSTOP is ended for its lack of progress, and its job starts again', async () => {
    const { run, ffmpeg } = await encoding();
    signal(ffmpeg, 'SIGSTOP');
    await run.expectWhole({ starts: 2, seconds, counts: { attempts: 2, connectionErrors: 1 } });
    expect(run.jobLines('[JOB_END]')[0]).toMatchObject({ state: 'failed', code: 'stalled' });
  });
});

describe('the container', () => {
  test('a container that is frozen longer than a stall while ffmpeg works continues the same job', async () => {
    const { run } = await encoding();
    const { pid } = stack.container.process;
    signal([pid], 'SIGSTOP');
    await delay((stallTimeoutSeconds + 2) * 1000);
    signal([pid], 'SIGCONT');
    await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1 } });
  });

  matrixTest(
    'a container that is frozen together with its ffmpeg, like a paused machine, continues the same job',
    async () => {
      const { run, ffmpeg } = await encoding();
      const frozen = [stack.container.process.pid, ...ffmpeg];
      signal(frozen, 'SIGSTOP');
      await delay((stallTimeoutSeconds + 2) * 1000);
      signal(frozen, 'SIGCONT');
      await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1 } });
    },
  );

  test('a container that receives SIGTERM lets its job end first, and the run gets the result', async () => {
    const { run } = await encoding();
    const exit = await stack.container.process.stop('SIGTERM', 120_000);
    expect(exit).toEqual({ code: 0, signal: null });
    stack.containers[0] = await TestContainer.restart(stack.container);
    await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1 } });
  });
});

describe('the worker', () => {
  test('a worker that receives SIGTERM leaves the job to the next worker', async () => {
    const { run } = await encoding();
    expect(await stack.worker.stop('SIGTERM', 120_000)).toEqual({ code: 0, signal: null });
    await stack.startWorker();
    await run.expectWhole({ starts: 1, seconds, counts: { attempts: 1 } });
  });
});
