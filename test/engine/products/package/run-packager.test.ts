import { execFile } from 'node:child_process';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import type { PackagePlan } from '../../../../engine/products/package/package-plan.ts';
import { runPackager } from '../../../../engine/products/package/run-packager.ts';
import { testFolder } from '../../../support/folder.ts';

let folder: string;

beforeEach(async () => {
  folder = testFolder();
  // Reading it waits forever, because nothing writes to it.
  await promisify(execFile)('mkfifo', [join(folder, 'v90.mp4')]);
});

const limits = { stallTimeoutSeconds: 60, maxOutputBytes: 2 ** 20, maxCpuSeconds: 60 };

const waitingPlan = (): PackagePlan =>
  ({
    ...{ kinds: ['hls', 'dash'], layout: 'files', segmentSeconds: 2, keyframeSeconds: 2 },
    parts: [{ kind: 'video', name: 'v90', path: join(folder, 'v90.mp4') }],
  }) as unknown as PackagePlan;

/** Processes that work in the folder. */
async function processes(): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    // The process may have ended since the listing.
    const place = await readlink(`/proc/${name}/cwd`).catch(() => '');
    if (place === folder) found.push(name);
  }
  return found;
}

test('a cancellation ends a running packager and leaves nothing behind', async () => {
  const cancel = new AbortController();
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, cancel.signal);
  await expect.poll(processes).not.toEqual([]);
  cancel.abort(new Error('cancelled'));
  await expect(ended).rejects.toThrow('cancelled');
  await expect.poll(processes).toEqual([]);
  expect(await readdir(folder)).toEqual(['package', 'v90.mp4']);
});

test("the packager's folders exist before it starts, because its threads fail if two create one", async () => {
  const cancel = new AbortController();
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, cancel.signal);
  await expect.poll(processes).not.toEqual([]);
  expect(await readdir(join(folder, 'package'))).toEqual(['v90']);
  cancel.abort(new Error('cancelled'));
  await expect(ended).rejects.toThrow('cancelled');
});

test('a packager killed from outside is reported with its signal', async () => {
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, new AbortController().signal);
  ended.catch(() => {});
  await expect.poll(processes).not.toEqual([]);
  for (const pid of await processes()) process.kill(Number(pid), 'SIGKILL');
  await expect(ended).rejects.toMatchObject({ code: 'ffmpeg_failed', details: { signal: 'SIGKILL' } });
});

test("a packager that exceeds the job's processor time times out", async () => {
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, new AbortController().signal);
  ended.catch(() => {});
  await expect.poll(processes).not.toEqual([]);
  // The kernel does the same at that limit.
  for (const pid of await processes()) process.kill(Number(pid), 'SIGXCPU');
  await expect(ended).rejects.toMatchObject({ code: 'timeout' });
});

test('an idle packager is ended after the stall limit', async () => {
  const running = runPackager(
    waitingPlan(),
    join(folder, 'package'),
    { ...limits, stallTimeoutSeconds: 1 },
    new AbortController().signal,
  );
  await expect(running).rejects.toMatchObject({ code: 'stalled' });
  expect(await processes()).toEqual([]);
});
