/**
 * How soon does work continue after a crash? A part is killed in the middle of an encode and restarted at once. The
 * bench reports the time from the kill until the job is followed again, with the default retry policy.
 * `npm run bench:recovery -- [rounds]`, 3 by default.
 */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { millisecondsOf } from '../client/temporal-time.ts';
import { TestContainer } from '../test/support/container.ts';
import { ffmpegProcessesUnder } from '../test/support/ffmpeg-processes.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import { TestStack } from '../test/support/stack.ts';
import { inUnit, report } from './report.ts';

const rounds = Number(process.argv[2] ?? 3);
/** Seconds of audio; the encode takes longer than any recovery. */
const inputSeconds = 7200;

const stack = await TestStack.start();

/** The activity that follows the run's job, as Temporal describes it, without a query that only a worker answers. */
interface Follower {
  /** Times since 1970. A follower that was scheduled again by its run has attempt 1. */
  scheduledMs: number;
  startedMs: number;
  heartbeatMs: number;
  attempt: number;
}

interface Kill {
  name: string;
  /** Time at which the job is followed again; undefined while it is not. */
  resumedMs(follower: Follower, killedMs: number): number | undefined;
  act(): Promise<void>;
}

/** The same job is followed by the next worker. */
const byNextFollower: Kill['resumedMs'] = ({ startedMs }, killedMs) => (startedMs > killedMs ? startedMs : undefined);

/** The run's next attempt has started a job and follows it. */
const byNextAttempt: Kill['resumedMs'] = ({ scheduledMs, startedMs, attempt }, killedMs) =>
  attempt === 1 && scheduledMs > killedMs && startedMs >= scheduledMs ? startedMs : undefined;

/** Temporal accepts a heartbeat of the same follower. */
const byHeartbeat: Kill['resumedMs'] = ({ heartbeatMs }, killedMs) =>
  heartbeatMs > killedMs ? heartbeatMs : undefined;

async function restartContainer(): Promise<void> {
  await stack.container.process.stop('SIGKILL');
  stack.containers[0] = await TestContainer.restart(stack.container);
}

async function restartWorker(): Promise<void> {
  await stack.worker.stop('SIGKILL');
  await stack.startWorker();
}

const kills: Kill[] = [
  { name: 'worker', resumedMs: byNextFollower, act: restartWorker },
  { name: 'container', resumedMs: byNextAttempt, act: restartContainer },
  {
    name: 'worker and container',
    resumedMs: byNextAttempt,
    act: async () => void (await Promise.all([restartWorker(), restartContainer()])),
  },
  {
    name: 'Temporal server',
    resumedMs: byHeartbeat,
    async act() {
      await stack.temporal.process.stop('SIGKILL');
      await stack.temporal.restart();
    },
  },
  {
    name: 'ffmpeg, frozen',
    resumedMs: byNextAttempt,
    async act() {
      for (const pid of await ffmpegProcessesUnder(stack.container.scratchDir)) process.kill(pid, 'SIGSTOP');
    },
  },
];

async function readFollower(handle: WorkflowHandle): Promise<Follower | undefined> {
  const { raw } = await handle.describe();
  const follower = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'followJob');
  return (
    follower && {
      scheduledMs: millisecondsOf(follower.scheduledTime),
      startedMs: millisecondsOf(follower.lastStartedTime),
      heartbeatMs: millisecondsOf(follower.lastHeartbeatTime),
      attempt: follower.attempt ?? 0,
    }
  );
}

async function recoverySeconds({ name, resumedMs, act }: Kill): Promise<number> {
  const handle = await stack.run('encode', {
    sourceUrl: stack.container.fileUrl('in.wav'),
    outputs: [{ format: 'mp3_128', uploadUrl: stack.container.fileUrl('out.mp3') }],
  });
  await stack.untilStatus(handle, 'encode', ({ phase, percent }) => phase === 'encode' && percent > 11);
  const killedMs = Date.now();
  await act();
  const endMs = await stack.worker.until(
    `recovery from ${name}`,
    async () => {
      // Nobody answers while Temporal is away.
      const follower = await readFollower(handle).catch(() => undefined);
      return follower && resumedMs(follower, killedMs);
    },
    180_000,
  );
  await handle.cancel();
  await handle.result().catch(() => {});
  return (endMs - killedMs) / 1000;
}

try {
  await link(
    await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg }),
    join(stack.container.mediaRoot, 'in.wav'),
  );
  for (const kill of kills) {
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round += 1) seconds.push(await recoverySeconds(kill));
    report('recovery', kill.name, { 'until work resumes': inUnit('s', ...seconds) });
  }
} finally {
  await stack.stop();
}
