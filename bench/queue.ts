/**
 * How busy does a backlog keep one container? Twenty `encode` runs are started at once; printed is the time in which the
 * container had a job over the time from the first job's start to the last job's end, by the container's own log.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { longWav, musicOgg } from '../test/support/media.ts';
import { TestStack } from '../test/support/stack.ts';

const runs = 20;
/** A short job is the hard case: what lies between two jobs weighs most. Seconds of audio. */
const inputSeconds = 120;

const stack = await TestStack.start();
try {
  const { container } = stack;
  await copyFile(
    await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg }),
    join(container.mediaRoot, 'in.wav'),
  );
  const handles = await Promise.all(
    Array.from({ length: runs }, (_, index) =>
      stack.run('encode', {
        sourceUrl: container.fileUrl('in.wav'),
        outputs: [{ format: 'mp3_128', uploadUrl: container.fileUrl(`out-${index}.mp3`) }],
      }),
    ),
  );
  await Promise.all(handles.map((handle) => handle.result()));

  const timesOf = (prefix: string): number[] =>
    container.process.logLines.filter(({ msg }) => msg?.startsWith(prefix)).map(({ time }) => Date.parse(String(time)));
  const starts = timesOf('[JOB_START]');
  const ends = timesOf('[JOB_END] Completed');
  const rejected = timesOf('[RATE_LIMIT]').length;
  const busyMs = ends.reduce((sum, end, index) => sum + end - (starts[index] ?? end), 0);
  const wallMs = Math.max(...ends) - Math.min(...starts);
  console.log(`${starts.length} jobs started, ${ends.length} completed, ${rejected} answered 429`);
  console.log(
    `busy ${(busyMs / 1000).toFixed(2)} s of ${(wallMs / 1000).toFixed(2)} s: ${((100 * busyMs) / wallMs).toFixed(1)} %`,
  );
} finally {
  await stack.stop();
}
