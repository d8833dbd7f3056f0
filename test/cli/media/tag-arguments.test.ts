import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeTags, findUnusedOption, type TagArguments } from '../../../cli/media/tag-arguments.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

await writeFile(join(folder, 'parts.json'), '{}');

const urlOf = (name: string): string => `file:///staged/${name}`;

test.each<[TagArguments, object]>([
  [{}, {}],
  [
    { chapters: 'keep', cover: 'none' },
    { chapters: 'keep', cover: 'none' },
  ],
  [{ chapters: 'parts.json' }, { chapters: { url: 'file:///staged/chapters.json' } }],
  [{ chapters: 'https://m.test/parts.json' }, { chapters: { url: 'https://m.test/parts.json' } }],
  [
    { chapters: 's3://b/parts.json', cover: 's3://b/c.png' },
    { chapters: { url: 's3://b/parts.json' }, cover: { url: 's3://b/c.png' } },
  ],
  [
    { chapters: 'from-silence', chapterMinPause: 1.5, chapterMinLength: 30, silenceThreshold: -45 },
    { chapters: { fromSilence: { minPause: 1.5, minChapter: 30, threshold: -45 } } },
  ],
  [{ chapters: 'from-silence' }, { chapters: { fromSilence: {} } }],
])('describes %j as %j', (options, fields) => {
  expect(describeTags(options, folder).fieldsAt(urlOf)).toEqual(fields);
});

test('stages local files with the source', () => {
  const { files } = describeTags({ chapters: 'parts.json', cover: 'https://m.test/c.png' }, folder);
  expect(files).toEqual([{ path: join(folder, 'parts.json'), name: 'chapters.json' }]);
});

test.each<[Parameters<typeof findUnusedOption>[0], RegExp | undefined]>([
  [{ trimSilence: false }, undefined],
  [{ trimSilence: true, silenceThreshold: -40 }, undefined],
  [{ trimSilence: false, shortenSilence: 0, silenceThreshold: -40 }, undefined],
  [{ trimSilence: false, chapters: 'from-silence', silenceThreshold: -40, chapterMinPause: 0 }, undefined],
  [{ trimSilence: false, silenceThreshold: -40 }, /'--silence-threshold <dBFS>' needs --trim-silence, /],
  [{ trimSilence: true, chapters: 'keep', chapterMinPause: 1 }, /'--chapter-min-pause <seconds>' needs --chapters/],
  [{ trimSilence: true, chapterMinLength: 1 }, /'--chapter-min-length <seconds>' needs --chapters from-silence/],
])('reports a silence option without effect: %j', (options, problem) => {
  expect(findUnusedOption(options) ?? 'none').toMatch(problem ?? /^none$/);
});
