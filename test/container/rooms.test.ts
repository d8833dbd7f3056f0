import { expect, test } from 'vitest';
import { importsUnder } from '../support/imports.ts';
import { filesIn } from '../support/project-files.ts';

/**
 * Which part of the container may import which, at run time and for types besides: a folder, or a file beside the folders
 * by its name. `main`, `app` and `inspect-package` assemble the others and may import all of them.
 */
const mayImport: Record<string, { runTime: string[]; types?: string[] }> = {
  errors: { runTime: [] },
  config: { runTime: [] },
  jobs: { runTime: ['errors'] },
  transfer: { runTime: ['errors'], types: ['jobs'] },
  operations: { runTime: ['transfer'], types: ['jobs'] },
  http: { runTime: ['errors'], types: ['jobs'] },
};

const assembling = ['main', 'app', 'inspect-package'];

function roomOf(path: string): string {
  return path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

test('defines the allowed imports of every part of the container', () => {
  const rooms = new Set(filesIn('container', ['.ts']).map(roomOf));
  expect([...rooms].toSorted()).toEqual([...Object.keys(mayImport), ...assembling].toSorted());
});

test.each(Object.entries(mayImport))('lets container/%s import only %j of the container', (room, law) => {
  const imports = importsUnder('container').filter(
    ({ from, to }) => roomOf(from) === room && to.startsWith('container/'),
  );
  const forbidden = imports.filter(({ to, isType }) => {
    const allowed = [room, ...law.runTime, ...(isType ? (law.types ?? []) : [])];
    return !allowed.includes(roomOf(to));
  });
  expect(forbidden.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});
