import { expect, test } from 'vitest';
import { toLanguageTag } from '../../../activities/transcript/language-tag.ts';

test.each([
  ['en', 'en'],
  ['pt-BR', 'pt-br'],
  ['english', 'en'],
  ['Romanian', 'ro'],
  ['hebrew', 'he'],
  ['haitian creole', 'ht'],
  ['klingon', undefined],
  ['', undefined],
])('the language %j of a provider has the tag %j', (name, tag) => {
  expect(toLanguageTag(name)).toBe(tag);
});
