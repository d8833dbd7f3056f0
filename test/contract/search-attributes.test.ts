import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSearchableText, searchableText } from '../../contract/search-attributes.ts';

test('the value of a URL is the quoted URL and its words', () => {
  expect(searchableText('s3://media/Talks/Talk 7.wav')).toBe("'s3://media/Talks/Talk 7.wav' s3 media talks talk 7 wav");
  expect(searchableText("file:///it's\\x")).toBe("'file:///it''s\\\\x' file it s x");
});

test('each text is read back, and only words follow its quotes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const value = searchableText(text);
      expect(readSearchableText(value)).toBe(text);
      // What a tsvector's literal reads as one quoted word.
      expect(value.replace(/^'(?:[^'\\]|''|\\.)*'/su, '')).toMatch(/^(?: [\p{L}\p{N}\p{M}]+)*$/u);
    }),
  );
});

test('values of earlier versions are read unchanged', () => {
  expect(readSearchableText('https://host/talk.wav')).toBe('https://host/talk.wav');
  expect(readSearchableText("'quoted'.wav")).toBe("'quoted'.wav");
});
