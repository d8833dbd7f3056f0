import { expect, test } from 'vitest';
import { chaptersOfTranscript } from '../../../activities/transcript/transcript-chapters.ts';

const segments = [
  { start: 0.4, text: 'Welcome everybody.' },
  { start: 10, text: 'This goes on.' },
  { start: 70.2, text: 'And now to\u0000 our\nguest.' },
  { start: 74, text: 'Hello.' },
  { start: 200, text: 'Good bye.' },
];

test('starts chapters at the segments nearest to pauses, the first at 0, named by their first words', () => {
  expect(chaptersOfTranscript(segments, [0, 69.5, 197])).toEqual([
    { startTime: 0, title: 'Welcome everybody.' },
    { startTime: 70.2, title: 'And now to our guest.' },
    { startTime: 200, title: 'Good bye.' },
  ]);
});

test.each([
  ['no chapter without speech', [], [0, 5], []],
  ['one chapter without a pause', segments, [], [0]],
  ['no chapter at a pause far from all segments', segments, [0, 130], [0]],
  ['one chapter for two pauses at one segment', segments, [0, 199, 201], [0, 200]],
])('creates %s', (_what, given, pauses, starts) => {
  expect(chaptersOfTranscript(given, pauses).map(({ startTime }) => startTime)).toEqual(starts);
});

test.each([
  ['a sentence at a word boundary', 'word '.repeat(30), `${'word '.repeat(12).trim()}…`],
  ['a text without spaces anywhere in it', '語'.repeat(100), `${'語'.repeat(60)}…`],
  ['a text without splitting a surrogate pair', '🎧'.repeat(61), `${'🎧'.repeat(60)}…`],
])('truncates %s for a title', (_what, text, title) => {
  expect(chaptersOfTranscript([{ start: 0, text }], [])).toEqual([{ startTime: 0, title }]);
});
