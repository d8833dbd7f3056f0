import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { ffmpegProcessesUnder, signalFfmpeg } from '../support/ffmpeg-processes.ts';
import { motion, quickH264, tone } from '../support/films.ts';
import { useFolder } from '../support/folder.ts';
import { makeMedia } from '../support/media-files.ts';
import type { TestContainer } from '../support/container.ts';
import { PageStack } from '../support/page-stack.ts';
import { useVisitors } from './visitors.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const open = useVisitors();

const folder = useFolder();
await mkdir(join(folder, 'segments'));
await makeMedia(folder, 'film.mp4', ...motion(40, '25', '320x180'), ...tone(40), ...quickH264, '-c:a', 'aac');
const system = await stopAfterAll(
  PageStack.start(
    { MEDIA_ROOT: folder },
    {
      containers: 2,
      // A stopped ffmpeg, which has a fifth of this time, must not be ended while the test looks at it.
      containerEnvironment: { MEDIA_ROOT: folder, STALL_TIMEOUT_SECONDS: '1500' },
      workerEnvironment: {
        MEDIA_ROOT: folder,
        SEGMENT_STORE_URL: `${pathToFileURL(join(folder, 'segments')).href}/`,
      },
    },
  ),
);

const url = (name: string): string => pathToFileURL(join(folder, name)).href;

/** Freezes or thaws what a container's job runs, once `isNow`. */
async function signal(container: TestContainer, name: NodeJS.Signals, isNow: () => Promise<boolean>): Promise<void> {
  await container.process.until('ffmpeg of a job', async () => {
    return (await isNow()) && (await signalFfmpeg(container.scratchDir, name));
  });
}

test('another container encodes a hung segment, and the page shows both jobs', async () => {
  const { stack } = system;
  const [hanging, helping] = stack.containers;
  if (hanging === undefined || helping === undefined) throw new Error('two containers');
  const handle = await stack.run('encode', {
    sourceUrl: url('film.mp4'),
    outputs: [{ container: 'mp4', video: { codec: 'h264', speed: 'slow' }, uploadUrl: url('made.mp4') }],
    spread: { containers: 2, segmentSeconds: 20 },
  });
  await signal(hanging, 'SIGSTOP', () => stack.hasSegment(handle, hanging));
  await stack.untilStatus(handle, 'a segment', ({ spread }) => (spread?.done ?? 0) >= 1);
  const hasCopy = async (): Promise<boolean> =>
    (await stack.status(handle)).steps?.some(({ id, state }) => id.endsWith('b') && state === 'running') ?? false;
  await signal(helping, 'SIGSTOP', hasCopy);

  const visitor = await open(`${system.server.url}/runs/${handle.workflowId}`);
  const row = visitor.page.getByRole('region', { name: 'Segments' });
  await row.getByText('1 of 2 encoded').waitFor();
  const [first, second] = [row.getByRole('listitem').first(), row.getByRole('listitem').nth(1)];
  await first.getByText(`at ${new URL(hanging.url).host}`).waitFor();
  await second.getByText(`at ${new URL(helping.url).host}`).waitFor();
  expect(await second.innerText()).toMatch(/^Segment \d, second job \d+ % at /);
  expect(await visitor.findings()).toEqual([]);
  await visitor.page.setViewportSize({ width: 360, height: 740 });
  expect(await visitor.page.evaluate('document.documentElement.scrollWidth')).toBe(360);

  await signal(helping, 'SIGCONT', async () => true);
  const outcome = (await handle.result()) as EncodeOutcome;
  expect(outcome.spread).toEqual({ segments: 2 });
  expect(outcome.outputs[0]?.streams?.[0]).toMatchObject({ frames: 40 * 25 });
  await visitor.page.locator('.facts div', { hasText: /^Segments2$/ }).waitFor();
  // Nothing is left of both jobs.
  expect(await readdir(join(folder, 'segments'))).toEqual([]);
  await expect.poll(async () => await ffmpegProcessesUnder(hanging.scratchDir)).toEqual([]);
  await expect.poll(async () => await hanging.jobFolders()).toEqual([]);
});
