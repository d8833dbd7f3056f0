import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openScratch } from '../../../container/jobs/scratch.ts';
import { TestContainer } from '../../support/container.ts';
import { testFolder } from '../../support/folder.ts';

test('removes the folders of dead processes at start, but not those of living ones', async () => {
  const dead = spawn('true');
  await once(dead, 'exit');
  const living = spawn('sleep', ['60']);
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
  await openScratch(shared);
  const names = await readdir(shared);
  expect(names).toHaveLength(1);
  expect(names).not.toContain(left);
});

test('keeps fetched files outside the folder where ffmpeg may write, and removes both', async () => {
  const shared = testFolder();
  const scratch = await openScratch(shared);
  const { folder, fetchedFolder } = await scratch.createFolders('a-job');
  expect(dirname(fetchedFolder)).toBe(dirname(folder));
  expect(fetchedFolder).not.toBe(folder);
  await scratch.removeFolders('a-job');
  expect(await readdir(dirname(dirname(folder)))).toEqual([]);
});
