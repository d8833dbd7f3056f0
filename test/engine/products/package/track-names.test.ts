import { expect, test } from 'vitest';
import { knownLanguage, languageName, shownTitle } from '../../../../engine/products/package/track-names.ts';

test.each([
  ['en', 'English'],
  ['pt-BR', 'português (Brasil)'],
  ['hi', 'हिन्दी'],
  ['ta', 'தமிழ்'],
  ['th', 'ไทย'],
])('names %s in its own script', (language, name) => {
  expect(languageName(language)).toBe(name);
  expect(shownTitle(name)).toBe(name);
});

test.each(['zh-yue', 'zh-cmn-Hans', 'sgn-ase', 'en-12'])('keeps %s, which ECMA-402 does not know', (language) => {
  expect(knownLanguage(language)).toBe(language);
  expect(languageName(language)).toBe(language);
});

test('keeps out of a title what a playlist cannot quote', () => {
  expect(shownTitle('"Ça, va"\n= தமிழ்')).toBe('Ça va தமிழ்');
});
