import { expect, test } from 'vitest';
import { readAnswer } from '../../../activities/provider/answer.ts';

test('a transcription is read with its segments', () => {
  const segments = [{ start: 0, end: 1, text: 'a' }];
  expect(readAnswer('openai-transcription', 'p/m', { text: ' a ', segments }, 10)).toMatchObject({
    text: 'a',
    segments,
  });
});

test('a transcription without segments is one segment over the whole chunk, or none where it has no text', () => {
  expect(readAnswer('openai-transcription', 'p/m', { text: 'a' }, 10)?.segments).toEqual([
    { start: 0, end: 10, text: 'a' },
  ]);
  expect(readAnswer('openai-transcription', 'p/m', { text: '' }, 10)?.segments).toEqual([]);
});

test('any other JSON is an answer of a provider of the kind http only', () => {
  expect(readAnswer('openai-transcription', 'p/m', { label: 'dog' }, 10)).toBeUndefined();
  expect(readAnswer('http', 'p/m', { label: 'dog' }, 10)).toMatchObject({
    text: '',
    segments: [],
    answer: { label: 'dog' },
  });
});
