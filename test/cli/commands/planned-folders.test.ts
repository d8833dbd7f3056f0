import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { planFolderTasks } from '../../../cli/commands/chunk.ts';
import type { Settings } from '../../../cli/settings.ts';
import { namesOfProcessing } from '../../../contract/written-names.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
const earlier = ['encoded.mp3', 'encoded.ogg', 'chunk-00000.mp3'].map((name) => `talk-processed/${name}`);
for (const path of ['talk.wav', 'new.wav', ...earlier]) {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), '');
}
// A file of the user's own.
await writeFile(join(folder, 'talk-processed/intro.mp3'), '');

const options = { overwrite: false, skipExisting: true, recursive: true, detach: false, json: false };
const folders = { target: '', folderSuffix: '-processed', names: namesOfProcessing('mp3'), input: {} };
const settings = { userFolder: folder } as Settings;

function plan(out?: string): string[] {
  return planFolderTasks([folder], { ...options, ...(out !== undefined && { out }) }, settings, folders).map(
    (task) => `${task.source.name}: ${'skipped' in task ? task.skipped : 'runs'}`,
  );
}

test('--skip-existing takes no result of an earlier run for a source', () => {
  expect(plan()).toEqual([
    'new: runs',
    'chunk-00000: It is the output of another source.',
    'encoded: It is the output of another source.',
    // A run with another --format wrote it.
    'encoded: It is the output of another source.',
    'intro: runs',
    'talk: processed already exist.',
  ]);
});

test('only a single argument that names a file or URL writes straight to --out', async () => {
  for (const path of ['inbox/a.wav', 'inbox/b.wav']) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), '');
  }
  const placesOf = (...texts: string[]) =>
    planFolderTasks(texts, { ...options, out: 'done' }, settings, folders).map((task) =>
      'skipped' in task || task.delivery.destination.kind === 'store'
        ? 'skipped'
        : relative(folder, task.delivery.destination.path),
    );
  expect(placesOf('inbox/a.wav')).toEqual(['done']);
  expect(placesOf('https://example.org/c.wav')).toEqual(['done']);
  expect(placesOf('inbox/a.wav', 'inbox/b.wav')).toEqual(['done/a-processed', 'done/b-processed']);
  expect(placesOf('inbox/a*.wav')).toEqual(['done/a-processed']);
  expect(placesOf('inbox')).toEqual(['done/a-processed', 'done/b-processed']);
  // The place of b stays the same after a is moved away.
  await rm(join(folder, 'inbox/a.wav'));
  expect(placesOf('inbox')).toEqual(['done/b-processed']);
});

test('--skip-existing is refused for a store, where nothing would be skipped', () => {
  expect(() => plan('s3://bucket/talks/')).toThrow('--skip-existing checks local files');
});
