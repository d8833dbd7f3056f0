import { WorkflowFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { soundCopyId, soundId } from '../../contract/spread-settings.ts';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import type { TestContainer } from '../support/container.ts';
import { signalIfAlive, stopFfmpegOf } from '../support/ffmpeg-processes.ts';
import { RunHistory } from '../support/history.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { segmentCount, type SpreadRun, SpreadStack } from './spread-stack.ts';

// Each part of the system is killed in each step of a spread run: `npm run check:spread`.

const spread = await stopAfterAll(SpreadStack.start());
const { stack, s3 } = spread;

const plain = await spread.run('plain');
const outcome = (await plain.handle.result()) as EncodeOutcome;
const sha256 = outcome.outputs[0]?.sha256 ?? '';
/** Plan, sound, segments and join. */
const usualJobs = segmentCount + 3;

test('an undisturbed run has one job for each step and leaves nothing', async () => {
  await spread.expectFile(plain, sha256);
  expect(spread.startedJobs(plain)).toBe(usualJobs);
  await spread.expectNothingLeft();
});

/** Brings a run into the middle of a step, and returns it with what lets it continue. */
type Reach = (name: string) => Promise<{ run: SpreadRun; resume: () => void }>;

const steps: Readonly<Record<string, Reach>> = {
  async plan(name) {
    const reached = spread.hold('source');
    const run = await spread.run(name);
    await reached();
    return { run, resume: () => spread.release() };
  },
  async sound(name) {
    const reached = spread.hold('source of the sound');
    const run = await spread.run(name);
    await reached();
    return { run, resume: () => spread.release() };
  },
  async soundb(name) {
    const reached = spread.hold('source of the sound');
    const run = await spread.run(name);
    await reached();
    // All segments come first.
    await stack.worker.until(
      'a second job of the sound',
      async () => (await stack.containerOf(run.handle, soundCopyId)) !== undefined,
      120_000,
    );
    return { run, resume: () => spread.release() };
  },
  async segment(name) {
    const run = await spread.run(name);
    const stopSegment = async (container: TestContainer): Promise<number[]> => {
      await container.process.until('a segment', () => stack.hasSegment(run.handle, container));
      return await stopFfmpegOf(container);
    };
    const stopped = (await Promise.all(stack.containers.map(stopSegment))).flat();
    return {
      run,
      resume() {
        for (const pid of stopped) signalIfAlive(pid, 'SIGCONT');
      },
    };
  },
  async join(name) {
    const reached = spread.hold('source of the join');
    const run = await spread.run(name);
    await reached();
    return { run, resume: () => spread.release() };
  },
  async upload(name) {
    const reached = spread.hold('result');
    const run = await spread.run(name);
    await reached();
    return { run, resume: () => spread.release() };
  },
  async removal(name) {
    const reached = spread.hold('result');
    const run = await spread.run(name);
    await reached();
    // The store answers nothing, so that the removal is under way.
    const { pid } = s3.process;
    process.kill(pid, 'SIGSTOP');
    spread.release();
    await stack.worker.until(
      'removal of the segments',
      async () => (await RunHistory.of(run.handle)).secondsOf('removeSegments').length > 0,
    );
    return {
      run,
      resume() {
        if (s3.process.pid === pid) process.kill(pid, 'SIGCONT');
      },
    };
  },
};

interface Killed {
  restart: () => Promise<void>;
  /** Jobs that the run repeats. */
  moreJobs: number;
  /** Waits until the run has noticed the fault; undefined if it notices at once. */
  untilNoticed?: () => Promise<void>;
}

const uploadFailed = 'Upload failed; trying again';
const logged = (text: string): number =>
  stack.containers.flatMap(({ process: { logLines } }) => logLines.filter(({ msg }) => msg?.startsWith(text))).length;

/** A container with a job of the step; any container if the step has no job. */
async function containerOf(step: string, { handle }: SpreadRun): Promise<TestContainer> {
  if (step === 'segment' || step === 'removal') return stack.container;
  const id = { sound: soundId, soundb: soundCopyId }[step];
  if (id === undefined) return await spread.busyContainer();
  return await stack.worker.until(`the job of the ${step}`, async () => (await stack.containerOf(handle, id)) ?? false);
}

const parts: Readonly<Record<string, (step: string, run: SpreadRun) => Promise<Killed>>> = {
  async container(step, run) {
    // A second job is not counted.
    const hasJob = step !== 'removal' && step !== 'soundb';
    const container = await containerOf(step, run);
    await container.process.stop('SIGKILL');
    return { restart: () => spread.restartContainer(container), moreJobs: hasJob ? 1 : 0 };
  },
  async worker() {
    await stack.worker.stop('SIGKILL');
    return { restart: () => stack.startWorker(), moreJobs: 0 };
  },
  async Temporal() {
    await stack.temporal.process.stop('SIGKILL');
    return { restart: () => stack.temporal.restart(), moreJobs: 0 };
  },
  async store(step) {
    await s3.process.stop('SIGKILL');
    const restart = () => s3.restart();
    // A container repeats an upload by itself. A job whose segment cannot be read fails.
    const notice = {
      ...{ sound: uploadFailed, soundb: uploadFailed, segment: uploadFailed },
      join: '[JOB_END]',
    }[step];
    if (notice === undefined) return { restart, moreJobs: 0 };
    const before = logged(notice);
    const untilNoticed = async () => void (await stack.worker.until(notice, () => logged(notice) > before, 120_000));
    return { restart, moreJobs: step === 'join' ? 1 : 0, untilNoticed };
  },
};

const cells = Object.keys(parts).flatMap((part) => Object.keys(steps).map((step) => [part, step] as const));

test.each(cells)(
  'the death of the %s in the step %s changes nothing in the result and leaves nothing',
  async (part, step) => {
    const { run, resume } = await (steps[step] as Reach)(`${part}-${step}`);
    const { restart, moreJobs, untilNoticed } = await parts[part]!(step, run);
    // The container that is left repeats the job; every other part is needed for the run to continue.
    if (part !== 'container' && untilNoticed === undefined) await restart();
    resume();
    if (untilNoticed !== undefined) {
      await untilNoticed();
      await restart();
    }
    await spread.expectFile(run, sha256);
    expect(spread.startedJobs(run)).toBe(usualJobs + moreJobs);
    if (part === 'container') await restart();
    await spread.expectNothingLeft();
  },
  300_000,
);

test.each(Object.keys(steps))(
  'a run that is cancelled in the step %s leaves nothing',
  async (step) => {
    const { run, resume } = await (steps[step] as Reach)(`cancelled-${step}`);
    await run.handle.cancel();
    resume();
    // The result is stored before the removal.
    if (step === 'removal') await run.handle.result();
    else await expect(run.handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    await spread.expectNothingLeft();
  },
  120_000,
);
