import { expect, test } from 'vitest';
import { RequestedOutput } from '../../../contract/http/output.ts';

const problemsOf = (fields: object): string[] => {
  const parsed = RequestedOutput.safeParse({ format: 'mp3_128', uploadUrl: 'https://s.test/a', ...fields });
  return parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
};

test.each<[object]>([
  [{ metadata: {} }],
  [{ metadata: { title: 'Ä “x” 🎧', track: 3, disc: '1/2', date: '2026-11-22', language: 'de-AT', 'My Key.1': '' } }],
  [{ metadata: { comment: 'zwei\nZeilen', lyrics: 'x'.repeat(16_384) } }],
  [{ chapters: 'keep', cover: 'none' }],
  [{ chapters: [{ start: 0, title: '' }] }],
  [
    {
      chapters: [
        { start: 3, title: 'b', url: 'https://m.test/b' },
        { start: 1.001, title: 'a' },
      ],
    },
  ],
  [{ chapters: { fromSilence: {} } }],
  [{ chapters: { fromSilence: { minPause: 1.5, minChapter: 30, threshold: -45, title: 'Kapitel' } } }],
  [{ chapters: { url: 'https://m.test/c.json', headers: { authorization: 'x' } }, cover: { url: 'file:///m/c.png' } }],
])('accepts the tags %j', (fields) => {
  expect(problemsOf(fields)).toEqual([]);
});

test.each<[object, RegExp]>([
  [{ metadata: { Title: 'x' } }, /metadata\.Title is written title/],
  [{ metadata: { CHAPTER000: 'x' } }, /CHAPTER000 is a reserved name/],
  [{ metadata: { METADATA_BLOCK_PICTURE: 'x' } }, /is a reserved name/],
  [{ metadata: { iTunSMPB: 'x' } }, /is a reserved name/],
  [{ metadata: { REPLAYGAIN_TRACK_GAIN: 'x' } }, /is a reserved name/],
  [{ metadata: { 'a=b': 'x' } }, /is not a valid name/],
  [{ metadata: { ['x'.repeat(65)]: 'x' } }, /is not a valid name/],
  [{ metadata: { 'zwei\nZeilen': 'x' } }, /is not a valid name/],
  [{ metadata: { title: 'x'.repeat(1025) } }, /title may have 1024 characters at most/],
  [{ metadata: { comment: 'x'.repeat(16_385) } }, /comment may have 16384 characters at most/],
  [{ metadata: { date: 'gestern' } }, /date must be a date such as 2026-11-22/],
  [{ metadata: { date: '2026-13-01' } }, /date must be a date such as 2026-11-22/],
  [{ metadata: { date: '2026-01-32' } }, /date must be a date such as 2026-11-22/],
  [{ metadata: { track: 'drei' } }, /track must be a number such as 3/],
  [{ metadata: { language: 'deutsch?' } }, /language must be a language/],
  [{ metadata: { url: 'javascript:alert(1)' } }, /url must be a URL that starts with http/],
  [{ metadata: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, 'x'])) }, /more than 64 entries/],
  [{ chapters: [] }, /chapters/],
  [{ chapters: 'all' }, /must be "keep", "none", a list of \{start, title\}, \{url\} or \{fromSilence\}/],
  [{ chapters: { fromSilence: { minPause: 0.1 } } }, /chapters\.fromSilence\.minPause/],
  [{ chapters: { fromSilence: { minChapter: 0.5 } } }, /chapters\.fromSilence\.minChapter/],
  [{ chapters: { fromSilence: { threshold: 0 } } }, /chapters\.fromSilence\.threshold/],
  [{ chapters: { fromSilence: { pause: 2 } } }, /chapters/],
  [{ chapters: { fromSilence: {}, url: 'https://m.test/c.json' } }, /chapters/],
  [{ chapters: [{ start: -1, title: 'a' }] }, /chapters/],
  [{ chapters: [{ start: Number.NaN, title: 'a' }] }, /chapters/],
  [
    {
      chapters: [
        { start: 1, title: 'a' },
        { start: 1.0004, title: 'b' },
      ],
    },
    /chapters/,
  ],
  [{ chapters: Array.from({ length: 1001 }, (_, start) => ({ start, title: 'x' })) }, /chapters/],
  [{ chapters: [{ start: 1, title: 'a', url: 'javascript:alert(1)' }] }, /chapters/],
  [{ cover: { url: 'ftp://m.test/c.png' } }, /cover/],
  [{ cover: { url: 'https://m.test/c.png', headers: { host: 'elsewhere' } } }, /cover/],
  [{ cover: 'https://m.test/c.png' }, /must be "keep", "none" or \{url\}/],
])('refuses the tags %j', (fields, problem) => {
  expect(problemsOf(fields).join('; ')).toMatch(problem);
});

test('accepts tags named like properties of every object', () => {
  const metadata = JSON.parse('{"constructor": "x", "toString": "y"}') as Record<string, string>;
  expect(problemsOf({ metadata })).toEqual([]);
});
