import { expect, test } from 'vitest';
import { fitLine } from '../../../cli/text/fit-line.ts';
import { fitTable } from '../../../cli/text/fit-table.ts';

const figures = new Set([1]);

test('a table on a wide terminal has one line for each row', () => {
  const rows = [
    ['RUN', '%', ''],
    ['encode-talk-1', '5', 'encoding'],
  ];
  expect(fitTable(rows, { figures, width: 80 })).toBe('RUN            %\nencode-talk-1  5  encoding');
});

test('a table on a narrow terminal shows all figures and whole names', () => {
  const name = 'encode-a-film-with-a-rather-long-name-1';
  const rows = [
    ['RUN', '%', ''],
    [name, '5', 'encoding the film'],
    ['short', '10', ''],
  ];
  const lines = fitTable(rows, { figures, width: 30 }).split('\n');
  expect(lines[1]).toBe(name);
  expect(lines[2]).toMatch(/^ +5$/);
  expect(lines[3]).toBe('    encoding the film');
  expect(lines[4]).toMatch(/^short +10$/);
  expect(lines.filter((line) => line.length > 30)).toEqual([name]);
});

test('a line leaves out its least important parts first, and then cuts its first part', () => {
  const parts = [
    { text: 'encoding', rank: 0 },
    { text: '1,234 frames, 48 fps', rank: 2 },
    { text: '0:42', rank: 1 },
    { text: 'about 1:20 left', rank: 0 },
  ];
  expect(fitLine(parts, 80)).toBe('encoding · 1,234 frames, 48 fps · 0:42 · about 1:20 left');
  expect(fitLine(parts, 40)).toBe('encoding · 0:42 · about 1:20 left');
  expect(fitLine(parts, 30)).toBe('encoding · about 1:20 left');
  expect(fitLine(parts, 24)).toBe('encod… · about 1:20 left');
});
