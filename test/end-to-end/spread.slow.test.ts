import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { JobsPage } from '../../contract/http/job.ts';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { TestContainer } from '../support/container.ts';
import { signalIfAlive, stopFfmpegOf } from '../support/ffmpeg-processes.ts';
import { pictureHashes, picturePackets, plainScaler, quickH264 } from '../support/films.ts';
import { RunHistory } from '../support/history.ts';
import { speechWav } from '../support/media.ts';
import { makeMedia } from '../support/media-files.ts';
import { TestStack } from '../support/stack.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const folder = useFolder();
await mkdir(join(folder, 'segments'));
const stack = await stopAfterAll(
  TestStack.start({
    containers: 2,
    // A test stops ffmpeg for a while, which has a fifth of this time.
    containerEnvironment: { MEDIA_ROOT: folder, STALL_TIMEOUT_SECONDS: '1500' },
    workerEnvironment: {
      MEDIA_ROOT: folder,
      SEGMENT_STORE_URL: `${pathToFileURL(join(folder, 'segments')).href}/`,
      SPREAD_MIN_SECONDS: '30',
    },
  }),
);

const url = (name: string): string => pathToFileURL(join(folder, name)).href;

/** A film of 90 s with hard and easy scenes. */
const makeFilm = (): Promise<string> =>
  makeMedia(
    folder,
    'film.mp4',
    ...['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=25:d=90,noise=alls=20:allf=t:enable='lt(mod(t,4),1.5)'`],
    ...['-f', 'lavfi', '-i', 'sine=f=440:r=48000:d=90', ...quickH264, '-g', '100', '-c:a', 'aac'],
  );

interface StartedJob {
  startedAt: string;
  /** Part of a film, or format of a whole encode. */
  name: string;
}

/** Jobs that the container has started since this time, and that have succeeded. */
async function jobsOf(container: TestContainer, startMs: number): Promise<StartedJob[]> {
  const { jobs } = JobsPage.parse((await container.call('GET', '/jobs')).body);
  return await Promise.all(
    jobs
      .filter(({ startedAt, state }) => Date.parse(startedAt) >= startMs && state === 'succeeded')
      .map(async ({ jobId, startedAt }) => {
        const { result } = (await container.call('GET', `/jobs/${jobId}`)).body;
        return { startedAt, name: result.part?.kind ?? result.outputs[0].container };
      }),
  );
}

test('encodes a film on two containers with the pictures of one encoder, and leaves no segment', async () => {
  const film = await makeFilm();
  const handle = await stack.run('encode', {
    sourceUrl: url('film.mp4'),
    outputs: [{ container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 24 }, uploadUrl: url('spread.mp4') }],
    spread: { containers: 2, segmentSeconds: 20 },
  });
  const outcome = (await handle.result()) as EncodeOutcome;
  expect(outcome.spread).toEqual({ segments: 4 });
  expect(await stack.status(handle)).toMatchObject({
    state: 'done',
    percent: 100,
    spread: { segments: 4, done: 4, running: 0, waiting: 0 },
  });
  expect(await readdir(join(folder, 'segments'))).toEqual([]);
  const jobs = await Promise.all(stack.containers.map(async (container) => await jobsOf(container, 0)));
  for (const ofOne of jobs) expect(ofOne.map(({ name }) => name)).toContain('segment');
  expect(jobs.flat().filter(({ name }) => name === 'sound')).toHaveLength(1);

  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24', '-profile:v', 'high', '-g', '250'];
  const plain = await makeMedia(
    folder,
    'plain.mp4',
    ...['-i', film, '-map', '0:v', '-vf', plainScaler('320:180'), ...x264, '-threads', '1'],
    ...['-force_key_frames', '20,40,60'],
  );
  expect(await pictureHashes(join(folder, 'spread.mp4'))).toEqual(await pictureHashes(plain));
  expect(await picturePackets(join(folder, 'spread.mp4'))).toEqual(await picturePackets(plain));
});

/** Parts and formats of the jobs that the containers have started since this time, in order. */
async function jobsSince(startMs: number): Promise<string[]> {
  const found = await Promise.all(stack.containers.map(async (container) => await jobsOf(container, startMs)));
  return found
    .flat()
    .toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1))
    .map(({ name }) => name);
}

test('ten short runs that wait for a container start before the next segment of a film', async () => {
  await copyFile(speechWav, join(folder, 'talk.wav'));
  const startMs = Date.now();
  const film = await stack.run('encode', {
    sourceUrl: url('film.mp4'),
    outputs: [{ container: 'mp4', video: { codec: 'h264', speed: 'medium', crf: 24 }, uploadUrl: url('fair.mp4') }],
    spread: { containers: 2, segmentSeconds: 20 },
  });
  const stopSegment = async (container: TestContainer): Promise<number[]> => {
    await container.process.until('a segment', () => stack.hasSegment(film, container));
    return await stopFfmpegOf(container);
  };
  const stopped = (await Promise.all(stack.containers.map(stopSegment))).flat();
  const shorts = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      stack.run('encode', {
        sourceUrl: url('talk.wav'),
        outputs: [{ container: 'mp3', audio: { codec: 'mp3' }, uploadUrl: url(`talk-${index}.mp3`) }],
      }),
    ),
  );
  for (const short of shorts) {
    await stack.worker.until(
      'a short run in the queue',
      async () => (await RunHistory.of(short)).secondsOf('encode').length > 0,
    );
  }
  for (const pid of stopped) signalIfAlive(pid, 'SIGCONT');
  await Promise.all([film, ...shorts].map((handle) => handle.result()));
  const jobs = await jobsSince(startMs);
  const first = jobs.indexOf('mp3');
  expect(jobs.slice(first, first + 10)).toEqual(Array<string>(10).fill('mp3'));
  expect(jobs.slice(first + 10)).toContain('segment');
});

test('a container that is killed in the middle repeats its segment alone', async () => {
  const [first, second] = stack.containers;
  if (first === undefined || second === undefined) throw new Error('two containers');
  const jobsBefore = ((await second.call('GET', '/jobs')).body.jobs as unknown[]).length;
  const handle = await stack.run('encode', {
    sourceUrl: url('film.mp4'),
    outputs: [{ container: 'mp4', video: { codec: 'h264', speed: 'medium', crf: 24 }, uploadUrl: url('killed.mp4') }],
    spread: { containers: 2, segmentSeconds: 20 },
    retry: { baseDelay: 1 },
  });
  await first.process.until('a segment', () => stack.hasSegment(handle, first));
  await first.process.stop('SIGKILL');
  const outcome = (await handle.result()) as EncodeOutcome;
  expect(outcome.spread).toEqual({ segments: 4 });
  expect(outcome.outputs[0]?.streams?.[0]).toMatchObject({ frames: 90 * 25 });
  expect(await readdir(join(folder, 'segments'))).toEqual([]);
  // Plan, sound, four segments and join: no other job was repeated.
  const jobs = ((await second.call('GET', '/jobs')).body.jobs as unknown[]).length - jobsBefore;
  expect(jobs).toBeLessThanOrEqual(7);
  stack.containers[0] = await TestContainer.restart(first);
});

test('a run that is reset while it encodes segments finds the stored segments, and leaves none', async () => {
  const handle = await stack.run('encode', {
    sourceUrl: url('film.mp4'),
    outputs: [{ container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 24 }, uploadUrl: url('reset.mp4') }],
    spread: { containers: 2, segmentSeconds: 20 },
  });
  await stack.untilStatus(handle, 'a stored segment', ({ spread }) => (spread?.done ?? 0) > 0);
  const { workflowId } = handle;
  await stack.temporal.cli(
    ...['workflow', 'reset', '--workflow-id', workflowId, '--type', 'LastWorkflowTask', '--reason', 'a test'],
  );
  const outcome = (await stack.client.workflow.getHandle(workflowId).result()) as EncodeOutcome;
  expect(outcome.spread).toEqual({ segments: 4 });
  expect(await readdir(join(folder, 'segments'))).toEqual([]);
});
