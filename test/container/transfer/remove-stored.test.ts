import { link, readdir, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { fileIdentity, removeStored } from '../../../container/transfer/remove-stored.ts';
import { testFolder } from '../../support/folder.ts';

let folder: string;
let path: string;
let identity: string;

beforeEach(async () => {
  folder = testFolder();
  path = join(folder, 'talk.mp3');
  await writeFile(path, 'ours');
  identity = await fileIdentity(path);
});

test('removes the stored file, even after it was renamed into place', async () => {
  await rename(path, `${path}.moved`);
  await rename(`${path}.moved`, path);
  await removeStored(path, identity);
  expect(await readdir(folder)).toEqual([]);
});

test.each<[string, () => Promise<void>]>([
  ['took its name', async () => (await writeFile(`${path}.new`, 'mine'), await rename(`${path}.new`, path))],
  ['was written into it', async () => await writeFile(path, 'other')],
  // A removed file's inode is free for the next file.
  ['got its inode later', async () => await utimes(path, 1, 1)],
  ['is a link to it', async () => (await rename(path, `${path}.kept`), await symlink('talk.mp3.kept', path))],
])('keeps a file that %s', async (_what, replace) => {
  await replace();
  const before = await readdir(folder);
  await removeStored(path, identity);
  expect(await readdir(folder)).toEqual(before);
});

test('removes nothing if the file is gone', async () => {
  await rename(path, join(folder, 'elsewhere'));
  await removeStored(path, identity);
  expect(await readdir(folder)).toEqual(['elsewhere']);
});

test('keeps another name of the stored file', async () => {
  await link(path, join(folder, 'kept'));
  await removeStored(path, identity);
  expect(await readdir(folder)).toEqual(['kept']);
  expect([await readFile(join(folder, 'kept'), 'utf8'), (await stat(join(folder, 'kept'))).nlink]).toEqual(['ours', 1]);
});
