import { expect, test } from 'vitest';
import { cyclesOf, importsUnder } from '../support/imports.ts';
import { filesIn, textOf } from '../support/project-files.ts';

/** Files beside the rooms. They import no room. */
const besideRooms = [
  'encode-share',
  'ends-the-job',
  'first-index',
  'left-out',
  'media-error',
  'pool',
  'unsupported',
  'usage',
  'work',
];

/**
 * Rooms that each room may import besides these files, type imports included. A room imports only rooms listed above
 * it.
 */
const mayImport: Record<string, readonly string[]> = {
  ffmpeg: [],
  formats: [],
  source: ['ffmpeg', 'formats'],
  plan: ['ffmpeg', 'formats', 'source'],
  sound: ['ffmpeg', 'formats', 'source', 'plan'],
  subtitles: ['ffmpeg', 'formats', 'source', 'plan'],
  tags: ['ffmpeg', 'formats', 'source', 'plan'],
  pictures: ['ffmpeg', 'formats', 'source', 'plan', 'sound', 'subtitles'],
  copy: ['ffmpeg', 'source', 'plan', 'sound', 'subtitles', 'pictures'],
  spread: ['ffmpeg', 'formats', 'source', 'plan', 'sound', 'pictures'],
  verify: ['ffmpeg', 'formats', 'source', 'plan', 'subtitles', 'pictures', 'copy'],
  chunk: ['ffmpeg', 'formats', 'source'],
  'products/product': ['ffmpeg', 'plan', 'subtitles', 'tags', 'verify'],
  'products/file': [
    ...['ffmpeg', 'formats', 'source', 'plan', 'sound', 'subtitles', 'tags', 'pictures', 'copy', 'verify'],
    'products/product',
  ],
  'products/analysis': [...['ffmpeg', 'formats', 'source', 'plan', 'sound'], ...['products/product', 'products/file']],
  'products/image': ['ffmpeg', 'formats', 'source', 'plan', 'pictures', 'products/product'],
  'products/package': [
    ...['ffmpeg', 'formats', 'source', 'plan', 'sound', 'subtitles', 'pictures', 'verify'],
    ...['products/product', 'products/file', 'products/image'],
  ],
  products: [
    ...['ffmpeg', 'formats', 'source', 'plan', 'sound', 'subtitles', 'tags', 'pictures', 'copy', 'verify'],
    ...['products/product', 'products/file', 'products/analysis', 'products/image', 'products/package'],
  ],
};

const mostLines = 4000;

const files = filesIn('engine', ['.ts']);
const inside = importsUnder('engine').filter(({ to }) => to.startsWith('engine/'));

/** Undefined for a file beside the rooms. */
function roomOf(path: string): string | undefined {
  const [, first = '', second = '', third] = path.split('/');
  if (second === '') return undefined;
  return first === 'products' && third !== undefined ? `${first}/${second}` : first;
}

test('the table lists every room of the engine and every file beside them', () => {
  expect([...new Set(files.flatMap((path) => roomOf(path) ?? []))].toSorted()).toEqual(
    Object.keys(mayImport).toSorted(),
  );
  const beside = files.filter((path) => roomOf(path) === undefined);
  expect(beside).toEqual(besideRooms.map((name) => `engine/${name}.ts`));
});

test.each(Object.entries(mayImport))('engine/%s imports only %j of the engine, with types counted', (room, allowed) => {
  const forbidden = inside.filter(({ from, to }) => {
    const target = roomOf(to);
    return roomOf(from) === room && target !== undefined && target !== room && !allowed.includes(target);
  });
  expect(forbidden.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('the files beside the rooms import no room', () => {
  const up = inside.filter(({ from, to }) => roomOf(from) === undefined && roomOf(to) !== undefined);
  expect(up).toEqual([]);
});

test('the rooms of the engine form no cycle', () => {
  const arrows = Object.entries(mayImport).flatMap(([room, targets]) =>
    targets.map((target) => [room, target] as const),
  );
  expect(cyclesOf(arrows)).toEqual([]);
});

test('the files of the engine form no cycle, with types counted', () => {
  expect(cyclesOf(inside.map(({ from, to }) => [from, to] as const))).toEqual([]);
});

test.each(Object.keys(mayImport))(`engine/%s has at most ${mostLines} lines`, (room) => {
  const lines = files.filter((path) => roomOf(path) === room).map((path) => textOf(path).split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(mostLines);
});
