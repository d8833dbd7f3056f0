import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planFolderTasks } from '../../../cli/commands/chunk.ts';
import type { Settings } from '../../../cli/settings.ts';
import { namesOfProcessing } from '../../../contract/written-names.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
for (const path of ['talk.wav', 'new.wav', 'talk-processed/encoded.mp3', 'talk-processed/chunk-00000.mp3']) {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), '');
}
// A file of the user's own.
await writeFile(join(folder, 'talk-processed/intro.mp3'), '');

function plan(out?: string): string[] {
  const options = { overwrite: false, skipExisting: true, recursive: true, detach: false, json: false };
  const folders = { target: '', folderSuffix: '-processed', names: namesOfProcessing('mp3'), input: {} };
  const settings = { userFolder: folder } as Settings;
  return planFolderTasks([folder], { ...options, ...(out !== undefined && { out }) }, settings, folders).map(
    (task) => `${task.source.name}: ${'skipped' in task ? task.skipped : 'runs'}`,
  );
}

test('--skip-existing takes no result of an earlier run for a source', () => {
  expect(plan()).toEqual([
    'new: runs',
    'chunk-00000: It is the output of another source.',
    'encoded: It is the output of another source.',
    'intro: runs',
    'talk: processed already exist.',
  ]);
});

test('--skip-existing is refused for a store, where nothing would be skipped', () => {
  expect(() => plan('s3://bucket/talks/')).toThrow('--skip-existing checks local files');
});
