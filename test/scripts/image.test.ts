import { expect, test } from 'vitest';
import { processCommands } from '../../cli/completion-command.ts';
import { buildProgram, type Commands } from '../../cli/program.ts';
import { importsUnder } from '../support/imports.ts';
import { textOf } from '../support/project-files.ts';

const dockerfile = textOf('Dockerfile');

/** Folders that a stage copies from the build context. */
function copiedBy(text: string): string[] {
  const lines = text.matchAll(/^COPY (?:--chmod=\d+ )?(?!--)(.+) \S+$/gm);
  return [...lines].flatMap(([, sources = '']) => sources.split(' ').map((source) => source.replace(/^\.\//, '')));
}

test('the builder receives all that the Dockerfile copies, and nothing else', () => {
  const given = [...textOf('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, path = '']) => path);
  expect([...new Set(copiedBy(dockerfile))].toSorted()).toEqual(given.toSorted());
});

test('the image contains every folder that its roles import', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const copied = new Set(copiedBy(last));
  // Workflows are bundled and need no folder.
  const roles = [
    'container',
    'worker',
    'server',
    'cli',
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

test("the image's entry point knows every process and every command but `start`", () => {
  const cases = textOf('scripts/image-entrypoint.sh').matchAll(/^ {2}([\w |-]+)\)$/gm);
  const known = [...cases].flatMap(([, names = '']) => names.split(' | '));
  const commands = buildProgram({} as Commands, '').commands.map((command) => command.name());
  // `start` runs Temporal, which the image does not have.
  const offered = [...processCommands, ...commands.filter((name) => name !== 'start'), 'health'];
  expect(known.toSorted()).toEqual(offered.toSorted());
});
