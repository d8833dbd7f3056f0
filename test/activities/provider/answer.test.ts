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
