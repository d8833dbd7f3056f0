import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveFile } from '../../../stores/file/file-place.ts';
import { openFileStore } from '../../../stores/file/file-store.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const root = join(folder, 'media');
await mkdir(root);
await writeFile(join(root, 'in.wav'), 'x');
await writeFile(join(folder, 'secret'), 'x');
await symlink(join(folder, 'secret'), join(root, 'link-out'));

test.each(['in.wav', 'new.wav'])('resolves %s in the media root', async (name) => {
  expect(await resolveFile(`file://${root}/${name}`, root)).toBe(join(root, name));
});

test.each(['../secret', 'link-out', 'nowhere/new.wav', 'a%2fb', ''])('rejects the path %j', async (name) => {
  await expect(resolveFile(`file://${root}/${name}`, root)).rejects.toThrow(/.../);
});

test('accepts every file when the media root is /', async () => {
  expect(await resolveFile(`file://${root}/in.wav`, '/')).toBe(join(root, 'in.wav'));
});

test('writes to the place of a link, and keeps the file that the link leads to', async () => {
  await writeFile(join(root, 'source.wav'), 'source');
  await symlink('source.wav', join(root, 'transcript.json'));
  await openFileStore(root).write(`file://${root}/transcript.json`, Buffer.from('{}'));
  expect(await readFile(join(root, 'source.wav'), 'utf8')).toBe('source');
  expect(await readFile(join(root, 'transcript.json'), 'utf8')).toBe('{}');
});
