import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const cli = fileURLToPath(new URL('../../cli/', import.meta.url));

/** The folders of cli/, each with the ones that it may import: only ones that stand further down. */
const mayImport = {
  commands: ['run', 'stack', 'media', 'limiter', 'text'],
  run: ['stack', 'media', 'progress', 'text'],
  stack: ['text'],
  media: ['text'],
  limiter: ['text'],
  progress: ['text'],
  text: [],
};

test('every folder of cli/ has its place among them', async () => {
  const entries = await readdir(cli, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual(Object.keys(mayImport).sort());
});

test.each(Object.entries(mayImport))('%s imports of the other folders only %j', async (folder, allowed) => {
  for (const file of await readdir(`${cli}${folder}`, { recursive: true })) {
    const text = file.endsWith('.ts') ? await readFile(`${cli}${folder}/${file}`, 'utf8') : '';
    for (const [, imported = ''] of text.matchAll(/(?:from |import\()'\.\.\/([a-z]+)\//g)) {
      expect([folder, ...allowed], `cli/${folder}/${file} imports cli/${imported}/`).toContain(imported);
    }
  }
});
