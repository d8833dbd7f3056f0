/**
 * How busy does a backlog keep its containers? Twenty `encode` runs start at once. The bench divides the time in which
 * the containers had a job by the time from the first job's start to the last job's end, from the containers' own logs.
 * `npm run bench:queue -- [containers]`, 1 by default.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { longWav, musicOgg } from '../test/support/media.ts';
import { TestStack } from '../test/support/stack.ts';
import { inUnit, report } from './report.ts';

const containers = Number(process.argv[2] ?? 1);
const runs = 20;
/** Seconds of audio. A short job is the hard case: the time between two jobs weighs most. */
const inputSeconds = 120;

// Any container may get a run.
const mediaRoot = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
const fileUrl = (name: string): string => pathToFileURL(join(mediaRoot, name)).href;
const stack = await TestStack.start({ containers, containerEnvironment: { MEDIA_ROOT: mediaRoot } });
try {
  const source = await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg });
  await copyFile(source, join(mediaRoot, 'in.wav'));
  const handles = await Promise.all(
    Array.from({ length: runs }, (_, index) =>
      stack.run('encode', {
        sourceUrl: fileUrl('in.wav'),
        outputs: [{ format: 'mp3_128', uploadUrl: fileUrl(`out-${index}.mp3`) }],
      }),
    ),
  );
  await Promise.all(handles.map((handle) => handle.result()));

  const timesOf = (prefix: string): number[] =>
    stack.containers
      .flatMap(({ process }) => process.logLines)
      .filter(({ msg }) => msg?.startsWith(prefix))
      .map(({ time }) => Date.parse(String(time)));
  const starts = timesOf('[JOB_START]');
  const ends = timesOf('[JOB_END] Completed');
  const sum = (times: readonly number[]): number => times.reduce((total, time) => total + time, 0);
  const busyMs = sum(ends) - sum(starts);
  const wallMs = (Math.max(...ends) - Math.min(...starts)) * containers;
  report('queue', `${runs} runs, containers: ${containers}`, {
    completed: inUnit('count', ends.length),
    'answered 429': inUnit('count', timesOf('[RATE_LIMIT]').length),
    busy: inUnit('%', (100 * busyMs) / wallMs),
  });
} finally {
  await stack.stop();
  await rm(mediaRoot, { recursive: true });
}
