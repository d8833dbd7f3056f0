import { expect, test } from 'vitest';
import { readAnswer } from '../../../activities/provider/answer.ts';

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
