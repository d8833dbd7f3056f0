import { expect, test } from 'vitest';
import { importsUnder } from '../support/imports.ts';
import { textOf } from '../support/project-files.ts';

const dockerfile = textOf('Dockerfile');

/** What a stage takes of the folder that is built. */
function copiedBy(text: string): string[] {
  const lines = text.matchAll(/^COPY (?:--chmod=\d+ )?(?!--)(.+) \S+$/gm);
  return [...lines].flatMap(([, sources = '']) => sources.split(' ').map((source) => source.replace(/^\.\//, '')));
}

test('the builder is given all that the Dockerfile copies, and nothing else', () => {
  const given = [...textOf('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, path = '']) => path);
  expect([...new Set(copiedBy(dockerfile))].toSorted()).toEqual(given.toSorted());
});

test('the image has all that its roles import', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const copied = new Set(copiedBy(last));
  // The workflows are bundled.
  const roles = [
    'container',
    'worker',
    'server',
    'client',
    'activities',
    'network',
    'stores',
    'process',
    'tracing',
    'codec',
    'contract',
  ];
  const imported = roles.flatMap((folder) => importsUnder(folder).filter(({ isType }) => !isType));
  const missing = imported.filter(({ to }) => !copied.has(to.split('/')[0] ?? ''));
  expect(missing.map(({ from, to }) => `${from}: ${to}`)).toEqual([]);
});
