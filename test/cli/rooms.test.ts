import { expect, test } from 'vitest';
import { importsUnder } from '../support/imports.ts';
import { filesIn } from '../support/project-files.ts';

/** Folders of cli/ with the folders that each may import: only folders further down the list. */
const mayImport = {
  commands: ['watch', 'run', 'runs', 'stack', 'media', 'limiter', 'inspect', 'text'],
  watch: ['run', 'stack', 'media', 'progress', 'text'],
  run: ['stack', 'media', 'progress', 'text'],
  stack: ['text'],
  media: ['text'],
  runs: ['progress', 'text'],
  limiter: ['text'],
  inspect: ['text'],
  completion: [],
  progress: ['text'],
  text: [],
};

/** `cli/stack/owner.ts` → `stack`; undefined for a file directly in cli/. */
function folderOf(path: string): string | undefined {
  return /^cli\/([^/]+)\//.exec(path)?.[1];
}

test('lists every folder of cli/', () => {
  const folders = new Set(filesIn('cli').map(folderOf));
  folders.delete(undefined);
  expect([...folders].map(String).sort()).toEqual(Object.keys(mayImport).sort());
});

test.each(Object.entries(mayImport))('%s imports only %j', (folder, allowed) => {
  const forbidden = importsUnder(`cli/${folder}`).filter(({ to }) => {
    const target = folderOf(to);
    return target !== undefined && ![folder, ...allowed].includes(target);
  });
  expect(forbidden.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});
