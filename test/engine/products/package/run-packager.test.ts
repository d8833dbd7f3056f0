import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PackagePlan } from '../../../../engine/products/package/package-plan.ts';
import { runPackager } from '../../../../engine/products/package/run-packager.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-packager-'));
  // Nobody ever writes into it, and who reads it waits.
  await promisify(execFile)('mkfifo', [join(folder, 'v90.mp4')]);
});
afterEach(() => rm(folder, { recursive: true }));

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
    // It may have ended since the listing.
    const place = await readlink(`/proc/${name}/cwd`).catch(() => '');
    if (place === folder) found.push(name);
  }
  return found;
}

test('a packager that runs is ended by a cancellation, and nothing of it is left', async () => {
  const cancel = new AbortController();
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, cancel.signal);
  await expect.poll(processes, { timeout: 20_000 }).not.toEqual([]);
  cancel.abort(new Error('cancelled'));
  await expect(ended).rejects.toThrow('cancelled');
  await expect.poll(processes).toEqual([]);
  expect(await readdir(folder)).toEqual(['package', 'v90.mp4']);
});

test('the folders that a packager writes into are there before it starts: its threads fail where two of them make one', async () => {
  const cancel = new AbortController();
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, cancel.signal);
  await expect.poll(processes, { timeout: 20_000 }).not.toEqual([]);
  expect(await readdir(join(folder, 'package'))).toEqual(['v90']);
  cancel.abort(new Error('cancelled'));
  await expect(ended).rejects.toThrow('cancelled');
});

test('a packager that is killed from outside is told as such, with the signal', async () => {
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, new AbortController().signal);
  ended.catch(() => {});
  await expect.poll(processes, { timeout: 20_000 }).not.toEqual([]);
  for (const pid of await processes()) process.kill(Number(pid), 'SIGKILL');
  await expect(ended).rejects.toMatchObject({ code: 'ffmpeg_failed', details: { signal: 'SIGKILL' } });
});

test('a packager that takes more processor time than a job may is out of time', async () => {
  const ended = runPackager(waitingPlan(), join(folder, 'package'), limits, new AbortController().signal);
  ended.catch(() => {});
  await expect.poll(processes, { timeout: 20_000 }).not.toEqual([]);
  // As the kernel does at that limit.
  for (const pid of await processes()) process.kill(Number(pid), 'SIGXCPU');
  await expect(ended).rejects.toMatchObject({ code: 'timeout' });
});

test('a packager that does nothing is ended after a while', async () => {
  const running = runPackager(
    waitingPlan(),
    join(folder, 'package'),
    { ...limits, stallTimeoutSeconds: 1 },
    new AbortController().signal,
  );
  await expect(running).rejects.toMatchObject({ code: 'stalled' });
  expect(await processes()).toEqual([]);
});
