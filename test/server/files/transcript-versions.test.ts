import fs, { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { TranscriptVersions } from '../../../server/files/transcript-versions.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
const versions = new TranscriptVersions(folder);

test('stores each correction as a version of its own, and the latest is shown', async () => {
  expect(await versions.latest('run')).toBeUndefined();
  await versions.save('run', 0, { text: 'one' });
  const { path } = await versions.save('run', 1, { text: 'two' });
  expect(await versions.latest('run')).toEqual({ version: 2, path });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ text: 'two' });
  expect(await readdir(join(folder, 'run'))).toEqual(['transcript.1.json', 'transcript.2.json']);
});

test.each([0, 1, 3, 9])('refuses a change to version %i if version 2 is the latest', async (known) => {
  const run = `changed-${known}`;
  for (const before of [0, 1]) await versions.save(run, before, {});
  await expect(versions.save(run, known, {})).rejects.toMatchObject({
    code: 'precondition_failed',
    message: expect.stringContaining('has version 2'),
  });
});

test('stores one of several changes that are made to the same version at the same time', async () => {
  const all = Array.from({ length: 8 }, (_, index) => new TranscriptVersions(folder).save('race', 0, { index }));
  const settled = await Promise.allSettled(all);
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const each of settled) {
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'precondition_failed' });
  }
  expect(await readdir(join(folder, 'race'))).toEqual(['transcript.1.json']);
});

test('stores a version on a disk without hard links, and still replaces none', async () => {
  const link = vi.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error('no links'), { code: 'EPERM' }));
  syncBuiltinESMExports();
  await versions.save('unlinked', 0, { text: 'one' });
  await writeFile(join(folder, 'unlinked', 'transcript.2.json'), '{}');
  vi.spyOn(versions, 'latest').mockResolvedValueOnce({ version: 1, path: '' });
  await expect(versions.save('unlinked', 1, {})).rejects.toMatchObject({ code: 'precondition_failed' });
  expect(link).toHaveBeenCalledTimes(2);
  link.mockRestore();
  syncBuiltinESMExports();
  expect(await readdir(join(folder, 'unlinked'))).toEqual(['transcript.1.json', 'transcript.2.json']);
});

test('keeps the ten latest versions', async () => {
  for (let known = 0; known < 12; known += 1) await versions.save('many', known, { known });
  expect((await versions.latest('many'))?.version).toBe(12);
  const kept = Array.from({ length: 10 }, (_, index) => `transcript.${index + 3}.json`);
  expect(new Set(await readdir(join(folder, 'many')))).toEqual(new Set(kept));
  await expect(versions.save('many', 1, {})).rejects.toMatchObject({ code: 'precondition_failed' });
});

test('a save removes the drafts of servers that were killed, and keeps those of others', async () => {
  await versions.save('killed', 0, {});
  const [old, fresh] = ['old.draft', 'fresh.draft'].map((name) => join(folder, 'killed', name));
  for (const draft of [old, fresh]) await writeFile(draft ?? '', '{');
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  await utimes(old ?? '', twoHoursAgo, twoHoursAgo);
  await versions.save('killed', 1, {});
  expect(await readdir(join(folder, 'killed'))).toEqual(['fresh.draft', 'transcript.1.json', 'transcript.2.json']);
});
