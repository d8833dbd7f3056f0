import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { CliError } from '../../../cli/cli-error.ts';
import { assertNotWatched, findFiles } from '../../../cli/watch/watched-folder.ts';
import { asAnotherUser } from '../../support/another-user.ts';
import { useFolder } from '../../support/folder.ts';

const root = useFolder();
const path = join(root, 'in');
await mkdir(join(path, 'day/.cache'), { recursive: true });

test.each([
  [false, ['talk.WAV']],
  [true, ['day/two.mp4', 'talk.WAV']],
])('finds media files and no partial or hidden ones (recursive: %s)', async (isRecursive, names) => {
  const partial = ['.talk.wav', '._talk.wav', 'film.mp4.part', 'film.mov.crdownload', 'film.mkv.tmp', 'notes.txt'];
  for (const name of ['talk.WAV', 'day/two.mp4', 'day/.cache/three.wav', ...partial]) {
    await writeFile(join(path, name), 'sound');
  }
  const found = await findFiles({ path, isRecursive });
  expect(found.map((file) => relative(path, file.path))).toEqual(names);
  expect(found[0]).toMatchObject({ size: 5, mtimeMs: expect.any(Number) });
});

test('enters no hidden folder, and reports a visible one that cannot be read', async () => {
  const disk = join(root, 'disk');
  for (const name of ['.Trashes', 'talks']) await mkdir(join(disk, name), { recursive: true });
  await writeFile(join(disk, 'talks/a.wav'), 'sound');
  await asAnotherUser(disk, ['.Trashes'], async () => {
    expect(await findFiles({ path: disk, isRecursive: true })).toHaveLength(1);
  });
  await asAnotherUser(disk, ['talks'], async () => {
    await expect(findFiles({ path: disk, isRecursive: true })).rejects.toThrow('cannot be read: permission is denied');
  });
});

test('reports a folder that cannot be read', async () => {
  const files = findFiles({ path: join(root, 'gone'), isRecursive: false });
  await expect(files).rejects.toThrow(`${join(root, 'gone')} cannot be read: it does not exist.`);
});

await symlink(path, join(root, 'link'));

test.each([
  ['in', false, true],
  ['in', true, true],
  ['in/out', false, false],
  ['in/out', true, true],
  ['in/new/out', true, true],
  ['in/.out', true, false],
  ['link/out', true, true],
  ['in-out', true, false],
  ['out', true, false],
  ['.', true, false],
])('outputs in %s of a watch (recursive: %s) are a loop: %s', (folder, isRecursive, isLoop) => {
  const check = () => assertNotWatched({ path, isRecursive }, join(root, folder), 'The output folder');
  if (isLoop) expect(check).toThrow(CliError);
  else expect(check).not.toThrow();
});
