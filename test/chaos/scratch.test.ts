import { chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { rowsExcept } from '../support/rows.ts';
import { TestContainer } from '../support/container.ts';
import { testFolder } from '../support/folder.ts';
import { longWav, musicOgg } from '../support/media.ts';
import { run } from '../support/process.ts';
import { expectNothingLeft } from './support/leftovers.ts';
import { Barrier } from './support/barrier.ts';
import { stopAfterTest } from '../support/stop-after-all.ts';

/** Faults of the container's machine: disk, scratch folder and ffmpeg. */

let folder: string;
let container: TestContainer | undefined;

beforeEach(() => void (folder = testFolder()));

function encodeOf(target: TestContainer) {
  return {
    sourceUrl: target.fileUrl('in.wav'),
    outputs: [{ format: 'wav', uploadUrl: target.fileUrl('out.wav') }],
  };
}

async function withSource(target: TestContainer, seconds: number): Promise<void> {
  await copyFile(await longWav({ seconds, channels: 2, source: musicOgg }), join(target.mediaRoot, 'in.wav'));
}

test('a container with a full scratch disk is not ready, fails its job as disk_full, and frees the disk', async () => {
  // 21 MB of source fit on the disk; an output of the same size does not.
  const { code, output } = await run('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', folder]);
  expect(code, output).toBe(0);
  try {
    container = await stopAfterTest(TestContainer.start({ SCRATCH_DIR: folder }));
    await withSource(container, 120);
    const ready = await container.call('GET', '/ready');
    expect(ready).toMatchObject({ status: 503 });
    expect(JSON.stringify(ready.body)).toContain('the scratch disk is full');
    const answer = await container.call('POST', '/encode', encodeOf(container));
    expect(answer).toMatchObject({ status: 503, body: { success: false, code: 'disk_full' } });
    expect(await readdir(container.mediaRoot)).toEqual(['in.wav']);
    for (const root of await readdir(folder)) expect(await readdir(join(folder, root))).toEqual([]);
    // A job that fits succeeds at once.
    await withSource(container, 20);
    expect(await container.call('POST', '/encode', encodeOf(container))).toMatchObject({ status: 200 });
  } finally {
    await container?.process.stop();
    await run('umount', [folder]);
  }
});

test('a container whose scratch folder is gone is not ready, and a job re-creates the folder', async () => {
  const scratch = join(folder, 'scratch');
  await mkdir(scratch);
  container = await stopAfterTest(TestContainer.start({ SCRATCH_DIR: scratch }));
  await withSource(container, 20);
  await rm(scratch, { recursive: true });
  const ready = await container.call('GET', '/ready');
  expect(ready).toMatchObject({ status: 503 });
  expect(JSON.stringify(ready.body)).toContain('the scratch folder is missing');
  expect(await container.call('POST', '/encode', encodeOf(container))).toMatchObject({ status: 200 });
  expect(await container.call('GET', '/ready')).toMatchObject({ status: 200 });
});

test('a job whose scratch folder is removed fails, and the next job succeeds', async () => {
  const barrier = await Barrier.make();
  container = await stopAfterTest(TestContainer.start({ ...barrier.environment, ENCODE_PARALLELISM: '1' }));
  await withSource(container, 20);
  await barrier.shut('ffmpeg', '/output-0');
  const jobId = await container.submit('/encode', encodeOf(container));
  await container.process.until('encoder at the barrier', () => barrier.isReached('ffmpeg'));
  await rm(container.scratchDir, { recursive: true });
  await barrier.open();
  const job = await container.untilEnded(jobId);
  expect(job).toMatchObject({ state: 'failed', error: { success: false } });
  expect(JSON.stringify(job)).not.toContain(container.scratchDir);
  expect(await readdir(container.mediaRoot)).toEqual(['in.wav']);
  expect(await container.call('POST', '/encode', encodeOf(container))).toMatchObject({ status: 200 });
  await expectNothingLeft(container);
  await barrier.remove();
});

test.each(rowsExcept(['ffprobe'], ['ffmpeg', 'ffprobe']))(
  'a container without %s is not ready, fails its job with the reason, and works after the installation',
  async (tool) => {
    const variable = `${tool.toUpperCase()}_PATH`;
    container = await stopAfterTest(TestContainer.start({ [variable]: join(folder, 'nothing') }));
    await withSource(container, 2);
    const ready = await container.call('GET', '/ready');
    expect(ready).toMatchObject({ status: 503 });
    expect(JSON.stringify(ready.body)).toContain(`${tool} is missing or does not work`);
    const answer = await container.call('POST', '/encode', encodeOf(container));
    expect(answer).toMatchObject({ status: 500, body: { code: 'ffmpeg_failed' } });
    expect(answer.body.error).toMatch(/GET \/ready/);
    await expectNothingLeft(container);
    // An ffmpeg that is installed later is found without a restart.
    await writeFile(join(folder, 'nothing'), `#!/bin/sh\nexec ${tool} "$@"\n`);
    await chmod(join(folder, 'nothing'), 0o755);
    expect(await container.call('GET', '/ready')).toMatchObject({ status: 200 });
    expect(await container.call('POST', '/encode', encodeOf(container))).toMatchObject({ status: 200 });
  },
);
