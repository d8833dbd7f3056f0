import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { CliError } from '../../../cli/cli-error.ts';
import { assertNotWatched, findFiles } from '../../../cli/watch/watched-folder.ts';
import { asAnotherUser } from '../../support/another-user.ts';
import { useFolder } from '../../support/folder.ts';

const root = useFolder();
const path = join(root, 'in');
await mkdir(join(path, 'day/.cache'), { recursive: true });

/** Fails for a file or subfolder that is left out. */
function allReadable(problem: string): void {
  throw new Error(problem);
}

test.each([
  [false, ['talk.WAV']],
  [true, ['day/two.mp4', 'talk.WAV']],
])('finds media files and no partial or hidden ones (recursive: %s)', async (isRecursive, names) => {
  const partial = ['.talk.wav', '._talk.wav', 'film.mp4.part', 'film.mov.crdownload', 'film.mkv.tmp', 'notes.txt'];
  for (const name of ['talk.WAV', 'day/two.mp4', 'day/.cache/three.wav', ...partial]) {
    await writeFile(join(path, name), 'sound');
  }
  const found = await findFiles({ path, isRecursive }, allReadable);
  expect(found.map((file) => relative(path, file.path))).toEqual(names);
  expect(found[0]).toMatchObject({ size: 5, mtimeMs: expect.any(Number) });
});

test('enters no hidden folder, and reports a visible one that cannot be read beside the files of the others', async () => {
  const disk = join(root, 'disk');
  for (const name of ['.Trashes', 'talks', 'b']) await mkdir(join(disk, name), { recursive: true });
  for (const name of ['talks/a.wav', 'b/x.wav']) await writeFile(join(disk, name), 'sound');
  const look = async () => {
    const problems: string[] = [];
    const found = await findFiles({ path: disk, isRecursive: true }, (problem) => void problems.push(problem));
    return { names: found.map((file) => relative(disk, file.path)), problems };
  };
  await asAnotherUser(disk, ['.Trashes'], async () => {
    expect(await look()).toEqual({ names: ['b/x.wav', 'talks/a.wav'], problems: [] });
  });
  await asAnotherUser(disk, ['talks'], async () => {
    const problems = [`${join(disk, 'talks')} cannot be read: permission is denied.`];
    expect(await look()).toEqual({ names: ['b/x.wav'], problems });
  });
  // The folder can be listed, but its files cannot be inspected.
  await chmod(join(disk, 'talks'), 0o444);
  await asAnotherUser(disk, [], async () => {
    const problems = [`${join(disk, 'talks/a.wav')} cannot be read: permission is denied.`];
    expect(await look()).toEqual({ names: ['b/x.wav'], problems });
  });
  await chmod(join(disk, 'talks'), 0o755);
});

test('finds links to media files, and none that leads nowhere', async () => {
  const links = join(root, 'links');
  await mkdir(join(links, 'folder.wav'), { recursive: true });
  for (const name of ['rec.wav', 'links/a.wav']) await writeFile(join(root, name), 'sound');
  await symlink('../rec.wav', join(links, 'b.wav'));
  await symlink('nowhere.wav', join(links, 'broken.wav'));
  await symlink('loop.wav', join(links, 'loop.wav'));
  const found = await findFiles({ path: links, isRecursive: false }, allReadable);
  expect(found.map((file) => relative(links, file.path))).toEqual(['a.wav', 'b.wav']);
});

test('reports a folder that cannot be read', async () => {
  const files = findFiles({ path: join(root, 'gone'), isRecursive: false }, allReadable);
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
