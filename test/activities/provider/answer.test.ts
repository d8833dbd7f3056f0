import { expect, test } from 'vitest';
import { parseBoundedJson } from '../../../activities/bounded-json.ts';
import { parseChunkAnswer, readAnswer } from '../../../activities/provider/answer.ts';
import { buildTranscript } from '../../../activities/transcript/transcript.ts';

test('reads a transcription with its segments', () => {
  const segments = [{ start: 0, end: 1, text: 'a' }];
  expect(readAnswer('openai-transcription', 'p/m', { text: ' a ', segments }, 10)).toMatchObject({
    text: 'a',
    segments,
  });
});

test('a transcription without segments becomes one segment over the chunk, or none if it has no text', () => {
  expect(readAnswer('openai-transcription', 'p/m', { text: 'a' }, 10)?.segments).toEqual([
    { start: 0, end: 10, text: 'a' },
  ]);
  expect(readAnswer('openai-transcription', 'p/m', { text: '' }, 10)?.segments).toEqual([]);
  // Servers in Python and Go answer null for a list that they do not have.
  expect(readAnswer('openai-transcription', 'p/m', { text: 'a', segments: null, words: null }, 10)?.segments).toEqual([
    { start: 0, end: 10, text: 'a' },
  ]);
});

test('accepts other JSON only from a provider of kind http', () => {
  expect(readAnswer('openai-transcription', 'p/m', { label: 'dog' }, 10)).toBeUndefined();
  expect(readAnswer('http', 'p/m', { label: 'dog' }, 10)).toMatchObject({
    text: '',
    segments: [],
    answer: { label: 'dog' },
  });
});

test('reads the words of a transcription, with the confidence that engines of Whisper report', () => {
  const words = [
    { word: 'a', start: 0, end: 1, probability: 0.5 },
    { word: 'b', start: 1, end: 2 },
  ];
  const read = [
    { word: 'a', start: 0, end: 1, confidence: 0.5 },
    { word: 'b', start: 1, end: 2 },
  ];
  const segments = [{ start: 0, end: 2, text: 'a b' }];
  const answer = { text: 'a b', language: 'english', segments, words };
  expect(readAnswer('openai-transcription', 'p/m', answer, 10)).toMatchObject({ language: 'english', words: read });
  const within = { text: 'a b', segments: [{ start: 0, end: 2, text: 'a b', words }] };
  expect(readAnswer('openai-transcription', 'p/m', within, 10)).toMatchObject({ segments, words: read });
});

test('a transcription with unreadable words is a transcription without words', () => {
  const answer = { text: 'a', segments: [{ start: 0, end: 1, text: 'a' }], words: [{ word: 'a', start: 'soon' }] };
  expect(readAnswer('openai-transcription', 'p/m', answer, 10)).toEqual({
    provider: 'p/m',
    text: 'a',
    segments: [{ start: 0, end: 1, text: 'a' }],
    answer,
  });
});

test('a confidence that is no share does not count, and words within segments must all be readable', () => {
  const words = [{ word: 'a', start: 0, end: 1, probability: 7 }];
  expect(readAnswer('openai-transcription', 'p/m', { text: 'a', words }, 10)?.words).toEqual([
    { word: 'a', start: 0, end: 1 },
  ]);
  const segments = [words, [{ word: 'b' }], 'none'].map((within) => ({ start: 0, end: 1, text: 'a', words: within }));
  expect(readAnswer('openai-transcription', 'p/m', { text: 'a', segments }, 10)).not.toHaveProperty('words');
});

/** Text of three chunks of 60 s, of which the provider describes the second one oddly. */
function joinedText(segments: object[], words?: object[]): string {
  const answers = [
    { text: 'zero', segments: [{ start: 5, end: 7, text: 'zero' }] },
    { text: 'one two three four', segments, words },
    { text: 'five six', segments: [{ start: 5, end: 7, text: 'five six' }] },
  ];
  const chunks = answers.map((answer, index) => {
    const read = readAnswer('openai-transcription', 'p/m', answer, 60);
    return { index, start: 58 * index, duration: 60, segments: read?.segments, words: read?.words };
  });
  return buildTranscript(chunks).transcript.text;
}

test.each<[string, object[], object[]?]>([
  [
    'ends a segment long after the sound',
    [
      { start: 4, end: 5, text: 'one two' },
      { start: 52, end: 90, text: 'three four' },
    ],
  ],
  [
    'ends a segment before its start',
    [
      { start: 4, end: 5, text: 'one two' },
      { start: 20, end: 19, text: 'three four' },
    ],
  ],
  [
    'begins a segment before the chunk',
    [
      { start: -0.02, end: 5, text: 'one two' },
      { start: 20, end: 22, text: 'three four' },
    ],
  ],
  [
    'states no times, but zeros',
    [
      { start: 0, end: 0, text: 'one two' },
      { start: 0, end: 0, text: 'three four' },
    ],
  ],
  [
    'states milliseconds',
    [
      { start: 4000, end: 5000, text: 'one two' },
      { start: 20_000, end: 22_000, text: 'three four' },
    ],
  ],
  [
    'states zeros as the times of words',
    [{ start: 4, end: 22, text: 'one two three four' }],
    ['one', 'two', 'three', 'four'].map((word) => ({ word, start: 0, end: 0 })),
  ],
])('keeps the whole text if a provider %s', (_, segments, words) => {
  expect(joinedText(segments, words)).toBe('zero one two three four five six');
});

test('keeps the whole text of segments that are not in order', () => {
  const segments = [
    { start: 59, end: 60, text: 'four' },
    { start: 4, end: 5, text: 'one two three' },
  ];
  expect(joinedText(segments)).toContain('one two three');
});

test('reads the text of the segments if the answer has no other', () => {
  const segments = [{ start: 0, end: 0, text: ' a ' }];
  expect(readAnswer('openai-transcription', 'p/m', { text: '', segments }, 10)?.segments).toEqual([
    { start: 0, end: 10, text: 'a' },
  ]);
});

const url = 's3://media/run/chunk-00000.json';

test('reports only the first wrong item of an answer file, which may have a million of them', () => {
  const file = JSON.stringify({ provider: 'p/m', text: '', segments: Array(1000).fill(1), answer: {} });
  expect(() => parseChunkAnswer(file, url)).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ issues: [expect.anything()] }) }),
  );
});

test('reads the file of an answer that has as many values as are accepted', () => {
  const words = Array.from({ length: 100 }, () => ({ word: 'a', start: 1, end: 2 }));
  const text = JSON.stringify({ text: 'a', words, more: Array(1_999_500).fill(0) });
  const answer = readAnswer('openai-transcription', 'p/m', parseBoundedJson(text), 10);
  expect(parseChunkAnswer(JSON.stringify(answer), url).words).toEqual(words);
});

test('reads the file of an answer that nests its values as deeply as is accepted', () => {
  const nested = (depth: number): string => `{"text":"a","more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  expect(parseBoundedJson(nested(1_001))).toBeUndefined();
  const answer = readAnswer('openai-transcription', 'p/m', parseBoundedJson(nested(1_000)), 10);
  expect(parseChunkAnswer(JSON.stringify(answer), url).text).toBe('a');
});

test('refuses an answer file with more than twice the values of an answer', () => {
  const file = JSON.stringify({ provider: 'p/m', text: '', segments: [], answer: Array(4_000_100).fill(0) });
  expect(() => parseChunkAnswer(file, url)).toThrow('is not an answer file written by Holdfast');
});
