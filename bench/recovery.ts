/**
 * How soon does work continue after a crash? A part is killed in the middle of an encode and restarted at once. The
 * bench reports the time from the kill until the run receives progress of its job again, with the default retry policy.
 * `npm run bench:recovery -- [rounds]`, 3 by default.
 */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { TestContainer } from '../test/support/container.ts';
import { ffmpegProcessesUnder } from '../test/support/ffmpeg-processes.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import { TestStack } from '../test/support/stack.ts';
import { inUnit, report } from './report.ts';

const rounds = Number(process.argv[2] ?? 3);
/** Seconds of audio; the encode takes longer than any recovery. */
const inputSeconds = 7200;

const stack = await TestStack.start();

interface Kill {
  name: string;
  /** Whether the run continues with its next attempt after a wait, or within the same attempt by a worker. */
  byNextAttempt: boolean;
  act(): Promise<void>;
}

async function restartContainer(): Promise<void> {
  await stack.container.process.stop('SIGKILL');
  stack.containers[0] = await TestContainer.restart(stack.container);
}

async function restartWorker(): Promise<void> {
  await stack.worker.stop('SIGKILL');
  await stack.startWorker();
}

const kills: Kill[] = [
  { name: 'worker', byNextAttempt: false, act: restartWorker },
  { name: 'container', byNextAttempt: true, act: restartContainer },
  {
    name: 'worker and container',
    byNextAttempt: false,
    act: async () => void (await Promise.all([restartWorker(), restartContainer()])),
  },
  {
    name: 'Temporal server',
    byNextAttempt: false,
    async act() {
      await stack.temporal.process.stop('SIGKILL');
      await stack.temporal.restart();
    },
  },
  {
    name: 'ffmpeg, frozen',
    byNextAttempt: true,
    async act() {
      for (const pid of await ffmpegProcessesUnder(stack.container.scratchDir)) process.kill(pid, 'SIGSTOP');
    },
  },
];

async function recoverySeconds({ name, byNextAttempt, act }: Kill): Promise<number> {
  const handle = await stack.run('encode', {
    sourceUrl: stack.container.fileUrl('in.wav'),
    outputs: [{ format: 'mp3_128', uploadUrl: stack.container.fileUrl('out.mp3') }],
  });
  await stack.untilStatus(handle, 'encode', ({ phase, percent }) => phase === 'encode' && percent > 11);
  // The first percentage after the restart may already be new, so the last one before the kill is compared.
  const { attempt, percent } = await stack.status(handle);
  const killedMs = performance.now();
  await act();
  await stack.worker.until(
    `recovery from ${name}`,
    async () => {
      // A run answers no query while its worker is away.
      const status = await stack.status(handle).catch(() => undefined);
      if (status === undefined || status.state !== 'running') return false;
      return byNextAttempt ? status.attempt > attempt : status.percent !== percent;
    },
    180_000,
  );
  const seconds = (performance.now() - killedMs) / 1000;
  await handle.cancel();
  await handle.result().catch(() => {});
  return seconds;
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
