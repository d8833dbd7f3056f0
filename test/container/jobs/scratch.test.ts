import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openScratch } from '../../../container/jobs/scratch.ts';
import { removeNotedPartials } from '../../../container/transfer/partial-copy.ts';
import { createLog } from '../../../process/log.ts';
import { TestContainer } from '../../support/container.ts';
import { testFolder } from '../../support/folder.ts';

const log = createLog('test', 'silent');

test('removes the folders of dead processes at start, but not those of living ones', async () => {
  const dead = spawn('true');
  await once(dead, 'exit');
  const living = spawn('sleep', ['600']);
  const host = hostname().replaceAll(/[^A-Za-z0-9]/g, '');
  const shared = testFolder();
  const kept = [`holdfast-${host}-${living.pid}-abc`, 'holdfast-elsewhere-1-abc', 'another'];
  const swept = `holdfast-${host}-${dead.pid}-abc`;
  for (const name of [...kept, swept]) await mkdir(join(shared, name, 'job'), { recursive: true });
  const starting = await TestContainer.start({ SCRATCH_DIR: shared });
  expect(await readdir(shared)).toEqual(expect.arrayContaining(kept));
  expect(await readdir(shared)).not.toContain(swept);
  await starting.stop();
  expect((await readdir(shared)).toSorted()).toEqual(kept.toSorted());
  living.kill();
});

test('removes the folders of an earlier process with the same id, as each start of a container has', async () => {
  const shared = testFolder();
  const left = `holdfast-${hostname().replaceAll(/[^A-Za-z0-9]/g, '')}-${process.pid}-abc`;
  await mkdir(join(shared, left, 'job'), { recursive: true });
  await openScratch(shared, log, removeNotedPartials);
  const names = await readdir(shared);
  expect(names).toHaveLength(1);
  expect(names).not.toContain(left);
});

/** Runs the action as a user who may not change the folder. */
async function withoutRights(folder: string, action: () => Promise<void>): Promise<void> {
  await chmod(folder, 0o500);
  const uid = process.geteuid?.() ?? 0;
  // Root may remove everything.
  if (uid === 0) process.seteuid?.(65_534);
  try {
    await action();
  } finally {
    process.seteuid?.(uid);
    await chmod(folder, 0o700);
  }
}

test('starts beside the folder of an earlier process that it may not remove', async () => {
  const shared = testFolder();
  const left = join(shared, `holdfast-${hostname().replaceAll(/[^A-Za-z0-9]/g, '')}-${process.pid}-abc`);
  await mkdir(join(left, 'job'), { recursive: true });
  await chmod(shared, 0o777);
  await withoutRights(left, async () => {
    const scratch = await openScratch(shared, log, removeNotedPartials);
    expect(await readdir(shared)).toHaveLength(2);
    await scratch.removeAll();
  });
});

test('a job whose folder cannot be removed keeps its outcome, and the folder is logged', async () => {
  const shared = testFolder();
  const scratch = await openScratch(shared, log, removeNotedPartials);
  const { folder } = await scratch.createFolders('a-job');
  const warn = vi.spyOn(log, 'warn');
  await withoutRights(dirname(folder), async () => {
    await scratch.removeFolders('a-job');
    await scratch.removeAll();
  });
  const [name] = await readdir(shared);
  expect(warn.mock.calls.map(([facts]) => facts)).toEqual([
    { folder: 'a-job', errno: expect.any(String) },
    { folder: name, errno: expect.any(String) },
  ]);
  await scratch.removeAll();
});

test('keeps fetched files outside the folder where ffmpeg may write, and removes both', async () => {
  const shared = testFolder();
  const scratch = await openScratch(shared, log, removeNotedPartials);
  const { folder, fetchedFolder } = await scratch.createFolders('a-job');
  expect(dirname(fetchedFolder)).toBe(dirname(folder));
  expect(fetchedFolder).not.toBe(folder);
  await scratch.removeFolders('a-job');
  expect(await readdir(dirname(dirname(folder)))).toEqual([]);
});
