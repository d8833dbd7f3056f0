import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { assertAbsent, assertNoFolders, assertWritable, deliver } from '../../../cli/media/delivery.ts';

const otherDisk = '/dev/shm';
const isOtherDisk = existsSync(otherDisk) && statSync(otherDisk).dev !== statSync(tmpdir()).dev;
const folders: string[] = [];
let folder: string;

async function newFolder(parent = tmpdir()): Promise<string> {
  const created = await mkdtemp(join(parent, 'holdfast-delivery-'));
  folders.push(created);
  return created;
}

beforeEach(async () => {
  folder = await newFolder();
  await writeFile(join(folder, 'made'), 'new');
});
afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

test('a finished file is moved, into a folder that need not exist', async () => {
  const target = join(folder, 'deep/er/talk.mp3');
  await deliver(join(folder, 'made'), target, false);
  expect(await readFile(target, 'utf8')).toBe('new');
  expect(existsSync(join(folder, 'made'))).toBe(false);
});

test('a file that appeared in the meantime is not overwritten, unless it is to be overwritten', async () => {
  const target = join(folder, 'talk.mp3');
  await writeFile(target, 'old');
  await expect(deliver(join(folder, 'made'), target, false)).rejects.toThrow(/talk\.mp3 already exists.*--overwrite/);
  expect(await readFile(target, 'utf8')).toBe('old');
  await deliver(join(folder, 'made'), target, true);
  expect(await readFile(target, 'utf8')).toBe('new');
});

test.runIf(isOtherDisk)('across disks it appears whole, and nothing else stays', async () => {
  const there = await newFolder(otherDisk);
  await deliver(join(folder, 'made'), join(there, 'talk.mp3'), false);
  expect(await readdir(there)).toEqual(['talk.mp3']);
  expect(await readdir(folder)).toEqual([]);

  await writeFile(join(folder, 'made'), 'newer');
  await expect(deliver(join(folder, 'made'), join(there, 'talk.mp3'), false)).rejects.toThrow(/already exists/);
  expect(await readdir(there)).toEqual(['talk.mp3']);
  expect(await readFile(join(there, 'talk.mp3'), 'utf8')).toBe('new');
});

test('what would be overwritten is named before anything starts', async () => {
  const paths = [join(folder, 'made'), join(folder, 'other')];
  expect(() => assertAbsent(paths)).toThrow(/^made already exists in .*--overwrite.*--skip-existing.*--out/);
  expect(() => assertAbsent(paths.slice(1))).not.toThrow();
});

test('a place that cannot be a folder is named before anything starts', () => {
  expect(() => assertWritable(join(folder, 'made/deeper'))).toThrow(
    /Nothing can be written to .*made\/deeper: .*made is a file/,
  );
  expect(() => assertWritable(join(folder, 'new/deeper'))).not.toThrow();
});

test('looking whether a folder takes files leaves nothing in it', async () => {
  assertWritable(folder);
  expect(await readdir(folder)).toEqual(['made']);
});

test('a folder in the place of a file is named before anything starts', async () => {
  await mkdir(join(folder, 'talk.mp3'));
  const places = ['made', 'absent', 'talk.mp3'].map((name) => join(folder, name));
  expect(() => assertNoFolders(places)).toThrow(/talk\.mp3 is a folder/);
  expect(() => assertNoFolders(places.slice(0, 2))).not.toThrow();
});

test('a folder of a disk that takes no files is named before anything starts', () => {
  // Root may write everywhere but into the kernel's own file systems.
  for (const path of ['/proc/1/holdfast', '/proc/holdfast'])
    expect(() => assertWritable(path)).toThrow(/Nothing can be written to \/proc.*\/holdfast: .*--out/);
});
