import { expect, test } from 'vitest';
import { Vocabulary } from '../../contract/vocabulary.ts';

const words = (count: number, length: number) => Array.from({ length: count }, () => 'a'.repeat(length));

// 14 words of 60 characters and their separators have 868 characters.
test.each([
  ['100 short words', words(100, 6)],
  ['as many characters as Whisper reads', [...words(14, 60), 'a'.repeat(28)]],
])('accepts a vocabulary of %s', (_, vocabulary) => {
  expect(Vocabulary.parse(vocabulary)).toEqual(vocabulary);
});

test.each([
  ['more characters than Whisper reads', [...words(14, 60), 'a'.repeat(29)], 'must have at most 896 characters'],
  ['no word', [], 'must have at least one word'],
  ['101 words', words(101, 1), 'must have at most 100 words'],
  ['a blank word', [' '], 'Too small'],
])('refuses a vocabulary of %s', (_, vocabulary, message) => {
  expect(() => Vocabulary.parse(vocabulary)).toThrow(message);
});
