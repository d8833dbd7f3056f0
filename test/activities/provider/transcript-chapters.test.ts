import { expect, test } from 'vitest';
import { chaptersOfTranscript } from '../../../activities/provider/transcript-chapters.ts';

const segments = [
  { start: 0.4, text: 'Welcome everybody.' },
  { start: 10, text: 'This goes on.' },
  { start: 70.2, text: 'And now to\u0000 our\nguest.' },
  { start: 74, text: 'Hello.' },
  { start: 200, text: 'Good bye.' },
];

test('chapters begin with the segments nearest to pauses, the first at 0, and are called by their first words', () => {
  expect(chaptersOfTranscript(segments, [0, 69.5, 197])).toEqual([
    { startTime: 0, title: 'Welcome everybody.' },
    { startTime: 70.2, title: 'And now to our guest.' },
    { startTime: 200, title: 'Good bye.' },
  ]);
});

test.each([
  ['none where nothing was said', [], [0, 5], []],
  ['one where there is no pause', segments, [], [0]],
  ['none at a pause far from all segments', segments, [0, 130], [0]],
  ['one for two pauses at one segment', segments, [0, 199, 201], [0, 200]],
])('there is %s', (_what, given, pauses, starts) => {
  expect(chaptersOfTranscript(given, pauses).map(({ startTime }) => startTime)).toEqual(starts);
});

test.each([
  ['a sentence is cut between its words', 'word '.repeat(30), `${'word '.repeat(12).trim()}…`],
  ['a text without spaces anywhere', '語'.repeat(100), `${'語'.repeat(60)}…`],
  ['a character of two halves stays whole', '🎧'.repeat(61), `${'🎧'.repeat(60)}…`],
])('of a title, %s', (_what, text, title) => {
  expect(chaptersOfTranscript([{ start: 0, text }], [])).toEqual([{ startTime: 0, title }]);
});
