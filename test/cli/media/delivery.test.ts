import { existsSync, statSync } from 'node:fs';
import fs, { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { assertAbsent, assertNoFolders, assertWritable, deliver } from '../../../cli/media/delivery.ts';
import { testFolder } from '../../support/folder.ts';

const otherDisk = '/dev/shm';
const isOtherDisk = existsSync(otherDisk) && statSync(otherDisk).dev !== statSync(tmpdir()).dev;
let folder: string;

beforeEach(async () => {
  folder = testFolder();
  await writeFile(join(folder, 'made'), 'new');
});

test('moves a finished file and creates its folder', async () => {
  const target = join(folder, 'deep/er/talk.mp3');
  await deliver(join(folder, 'made'), target, false);
  expect(await readFile(target, 'utf8')).toBe('new');
  expect(existsSync(join(folder, 'made'))).toBe(false);
});

test('keeps a target that appeared in the meantime, except with overwrite', async () => {
  const target = join(folder, 'talk.mp3');
  await writeFile(target, 'old');
  await expect(deliver(join(folder, 'made'), target, false)).rejects.toThrow(/talk\.mp3 already exists.*--overwrite/);
  expect(await readFile(target, 'utf8')).toBe('old');
  await deliver(join(folder, 'made'), target, true);
  expect(await readFile(target, 'utf8')).toBe('new');
});

const noLinks = ['EPERM', 'ENOTSUP', 'ENOSYS', 'EIO'];
test.each(noLinks)(
  'keeps a target that appeared in the meantime on a disk that answers links with %s',
  async (code) => {
    const link = vi.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error('no links'), { code }));
    syncBuiltinESMExports();
    onTestFinished(() => {
      link.mockRestore();
      syncBuiltinESMExports();
    });
    const target = join(folder, 'talk.mp3');
    await writeFile(target, 'old');
    await expect(deliver(join(folder, 'made'), target, false)).rejects.toThrow(/talk\.mp3 already exists.*--overwrite/);
    expect(await readFile(target, 'utf8')).toBe('old');
    await rm(target);
    await expect(deliver(join(folder, 'missing'), target, false)).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual(['made']);
    await deliver(join(folder, 'made'), target, false);
    expect(await readFile(target, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['talk.mp3']);
  },
);

test.runIf(isOtherDisk)('delivers a whole file across disks and leaves nothing else', async () => {
  const there = await mkdtemp(join(otherDisk, 'holdfast-delivery-'));
  onTestFinished(() => rm(there, { recursive: true }));
  await deliver(join(folder, 'made'), join(there, 'talk.mp3'), false);
  expect(await readdir(there)).toEqual(['talk.mp3']);
  expect(await readdir(folder)).toEqual([]);

  await writeFile(join(folder, 'made'), 'newer');
  await expect(deliver(join(folder, 'made'), join(there, 'talk.mp3'), false)).rejects.toThrow(/already exists/);
  expect(await readdir(there)).toEqual(['talk.mp3']);
  expect(await readFile(join(there, 'talk.mp3'), 'utf8')).toBe('new');
});

test('names the files that would be overwritten', async () => {
  const paths = [join(folder, 'made'), join(folder, 'other')];
  expect(() => assertAbsent(paths)).toThrow(/^made already exists in .*--overwrite.*--skip-existing.*--out/);
  expect(() => assertAbsent(paths.slice(1))).not.toThrow();
});

test('refuses an output folder below a file', () => {
  expect(() => assertWritable(join(folder, 'made/deeper'))).toThrow(/Cannot write to .*made\/deeper: .*made is a file/);
  expect(() => assertWritable(join(folder, 'new/deeper'))).not.toThrow();
});

test('leaves nothing behind when it checks that a folder is writable', async () => {
  assertWritable(folder);
  expect(await readdir(folder)).toEqual(['made']);
});

test('refuses an output path that is a folder', async () => {
  await mkdir(join(folder, 'talk.mp3'));
  const places = ['made', 'absent', 'talk.mp3'].map((name) => join(folder, name));
  expect(() => assertNoFolders(places)).toThrow(/talk\.mp3 is a folder/);
  expect(() => assertNoFolders(places.slice(0, 2))).not.toThrow();
});

test('refuses an output folder on a read-only file system', () => {
  // Root may write everywhere except to the kernel's own file systems.
  for (const path of ['/proc/1/holdfast', '/proc/holdfast'])
    expect(() => assertWritable(path)).toThrow(/Cannot write to \/proc.*\/holdfast: .*--out/);
});
