import { createReadStream } from 'node:fs';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Zip, type ZippedFile } from '../../../server/files/zip.ts';
import { useFolder } from '../../support/folder.ts';
import { openFiles } from '../../support/open-files.ts';

const bytes = 5_000_000;

const folder = useFolder();
const files: ZippedFile[] = ['1.m4s', '2.m4s'].map((name) => ({
  name,
  bytes,
  open: async (signal) => createReadStream(join(folder, name), { signal }),
}));
for (const { name } of files) await writeFile(join(folder, name), Buffer.alloc(bytes, name));

test('opens one file at a time, reads only as much as its client takes, and closes the file when the client leaves', async () => {
  const client = new PassThrough();
  const sent = new Zip(files, new Date()).send(client);
  sent.catch(() => undefined);
  await expect.poll(() => openFiles(folder)).toEqual([join(folder, '1.m4s')]);
  await expect.poll(() => client.readableLength).toBeGreaterThan(0);
  // All buffers between the disk and the client are full.
  expect(client.readableLength + client.writableLength).toBeLessThan(1_000_000);
  client.destroy();
  await expect(sent).rejects.toThrow('Premature close');
  await expect.poll(() => openFiles(folder)).toEqual([]);
});

test.each([
  ['has become shorter', async () => await truncate(join(folder, '2.m4s'), 10)],
  ['no longer exists', async () => await rm(join(folder, '2.m4s'))],
])('breaks the download off if a file %s', async (_, change) => {
  await change();
  const client = new PassThrough().resume();
  await expect(new Zip(files, new Date()).send(client)).rejects.toThrow(/unexpected number of bytes|ENOENT/);
  expect(client.destroyed).toBe(true);
  await expect.poll(() => openFiles(folder)).toEqual([]);
});

test.each(['../secret', '/etc/passwd', 'a/../../b', String.raw`..\b`])(
  'refuses the name %j, which would leave the folder in which the zip is unpacked',
  (name) => {
    expect(() => new Zip([{ ...files[0], name } as ZippedFile], new Date())).toThrow();
  },
);

test('opens no file if only the length is asked for', async () => {
  expect(new Zip(files, new Date()).bytes).toBeGreaterThan(2 * bytes);
  expect(await openFiles(folder)).toEqual([]);
});
