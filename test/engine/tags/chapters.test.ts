import { expect, test } from 'vitest';
import { parsePodcastChapters, settleChapters } from '../../../engine/tags/chapters.ts';

const at = (...starts: number[]) => starts.map((startSeconds) => ({ startSeconds, title: `bei ${startSeconds}` }));

test.each([
  [
    'in the order of their starts, each to the next',
    at(5, 0, 2.5),
    0,
    10,
    [
      [0, 2500],
      [2500, 5000],
      [5000, 10_000],
    ],
  ],
  ['what begins behind the end is left out', at(0, 9.9996, 10, 11), 0, 10, [[0, 10_000]]],
  [
    'of an output that begins later, the one that goes on there',
    at(0, 2, 6),
    4,
    10,
    [
      [0, 2000],
      [2000, 6000],
    ],
  ],
  ['of two in one millisecond the later', at(1, 1.0001), 0, 2, [[1000, 2000]]],
  ['none where nothing begins in time', at(10), 0, 10, []],
  ['a start that is no number is left out', at(Number.NaN, Infinity, 1), 0, 2, [[1000, 2000]]],
])('%s', (_name, chapters, from, to, expected) => {
  const settled = settleChapters(chapters, { from, to });
  expect(settled.map(({ startMs, endMs }) => [startMs, endMs])).toEqual(expected);
});

test('podcast chapters are read without entries outside the table of contents', () => {
  const json = {
    version: '1.2.0',
    author: 'x',
    chapters: [
      { startTime: 0 },
      { startTime: 1, title: 'Bild', toc: false },
      { startTime: 2, title: 'a\u0000\u001b[31m\nb', url: 'javascript:alert(1)', location: {} },
      { startTime: 3, title: 'c', url: 'https://m.test/c' },
    ],
  };
  expect(parsePodcastChapters(JSON.stringify(json))).toEqual([
    { startSeconds: 0, title: 'Chapter 1', url: undefined },
    { startSeconds: 2, title: 'a [31m b', url: undefined },
    { startSeconds: 3, title: 'c', url: 'https://m.test/c' },
  ]);
});

test('podcast chapters are read after the byte order mark of Windows editors', () => {
  const text = `\uFEFF${JSON.stringify({ version: '1.2.0', chapters: [{ startTime: 1, title: 'Anfang' }] })}`;
  expect(parsePodcastChapters(text)).toEqual([{ startSeconds: 1, title: 'Anfang', url: undefined }]);
});

test('a million entries that are not chapters are counted without being inspected', () => {
  const text = JSON.stringify({ chapters: Array.from({ length: 1_000_000 }, () => ({})) });
  expect(() => parsePodcastChapters(text)).toThrow(/has 1000000 entries, and the limit is 10000/);
});

test.each([
  ['', /the file is no JSON\. It must look like \{"version": "1\.2\.0", "chapters": \[\{"startTime": 0,/],
  ['0:00 Intro\n1:30 Guest', /the file is no JSON\. It must look like \{/],
  ['null', /no list of podcast chapters \(Invalid input: .*\)\. It must look like \{/],
  ['{"chapters": [{"startTime": "00:06"}]}', /chapters\.0\.startTime: must be a number of seconds\)/],
  ['{"chapters": [{"startTime": -1}]}', /chapters\.0\.startTime/],
  ['{"chapters": [{"startTime": 1e999}]}', /chapters\.0\.startTime/],
])('%s is rejected with a sentence', (text, words) => {
  expect(() => parsePodcastChapters(text)).toThrow(words);
});
