import { readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { TestContainer } from '../../../support/container.ts';
import { makeMedia } from '../../../support/media-files.ts';
import { makePackageOf } from './packages.ts';
import { motion, quickH264, tone } from '../../../support/films.ts';
import { useFolder } from '../../../support/folder.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

const folder = useFolder();

const hold = (): string => join(folder, 'hold');

/** Replaces `nice`: while the file `hold` exists, the packager's first input is a pipe without a writer. */
const nice = (): string => `#!/bin/sh
case "$3" in
*/packager-*)
  if [ -e '${hold()}' ]; then
    input=\${4#in=}
    input=\${input%%,*}
    rm "$input" && mkfifo "$input"
  fi ;;
esac
PATH=\${PATH#*:}
exec nice "$@"
`;

const output: DescribedOutput = {
  ...{ package: ['hls', 'dash'], segmentSeconds: 1 },
  ...{ video: { speed: 'fast' }, renditions: [{ height: 90 }, { height: 46 }] },
};

await writeFile(join(folder, 'nice'), nice(), { mode: 0o755 });
const container = await stopAfterAll(TestContainer.start({ PATH: `${folder}:${process.env['PATH']}` }));
await makeMedia(container.mediaRoot, 'film.mp4', ...motion(3), ...tone(3), ...quickH264, '-c:a', 'aac', '-shortest');

async function packagers(): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const [place, program] = await Promise.all(
      // The process may have ended since the listing.
      ['cwd', 'exe'].map((link) => readlink(`/proc/${name}/${link}`).catch(() => '')),
    );
    if (place?.startsWith(container.scratchDir) === true && program?.includes('packager-') === true) {
      found.push(Number(name));
    }
  }
  return found;
}

/** Starts a job and resolves once its packager runs. */
async function untilPackaging(): Promise<{ jobId: string; packager: number }> {
  const request = { sourceUrl: container.fileUrl('film.mp4'), outputs: [{ ...output, deliver: 'on_demand' }] };
  const jobId = await container.submit('/encode', request);
  const [packager] = await container.process.until('the packager', async () => {
    const running = await packagers();
    return running.length > 0 && running;
  });
  return { jobId, packager: packager ?? NaN };
}

async function expectNothingLeft(): Promise<void> {
  await container.process.until('a free slot', async () => (await container.health()).activeJobs === 0);
  expect(await packagers()).toEqual([]);
  expect(await container.jobFolders()).toEqual([]);
  expect(await readdir(container.mediaRoot)).toEqual(['film.mp4', 'out']);
  expect(await readdir(join(container.mediaRoot, 'out'))).toEqual(['before']);
}

test('leaves nothing if a job is cancelled or loses its packager, and the next job makes the same bytes', async () => {
  const before = await makePackageOf({ container }, 'film.mp4', output, 'before');

  await writeFile(hold(), '');
  const cancelled = await untilPackaging();
  expect(await container.call('DELETE', `/jobs/${cancelled.jobId}`)).toMatchObject({ body: { state: 'cancelled' } });
  await expectNothingLeft();

  const killed = await untilPackaging();
  process.kill(killed.packager, 'SIGKILL');
  expect(await container.untilEnded(killed.jobId)).toMatchObject({
    state: 'failed',
    error: { code: 'ffmpeg_failed', error: 'The packager was ended by SIGKILL from outside.' },
  });
  await expectNothingLeft();

  await rm(hold());
  const after = await makePackageOf({ container }, 'film.mp4', output, 'after');
  expect(after.files).toEqual(before.files);
});
