import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeSubtitleArguments } from '../../../cli/media/subtitle-arguments.ts';
import { ContainerSubtitles } from '../../../contract/http/subtitles.ts';
import { useFolder } from '../../support/folder.ts';

const userFolder = useFolder();
for (const name of ['film.srt', 'der Film.vtt']) writeFileSync(join(userFolder, name), 'text');
const urlOf = (name: string): string => `file:///staged/${name}`;

test.each([
  [{ subtitles: 'keep' }, 'keep'],
  [{ subtitles: 'burn' }, 'burn'],
  [{ subtitles: 'drop' }, 'drop'],
  [{ addSubtitles: ['https://media.test/a.srt'] }, { add: [{ url: 'https://media.test/a.srt' }] }],
  [{ burnSubtitles: 'film.srt' }, { burn: { url: 'file:///staged/subtitles-1.srt' } }],
  [
    { subtitles: 'keep', addSubtitles: ['eng=film.srt', 'deu=der Film.vtt'] },
    {
      keep: true,
      add: [
        { url: 'file:///staged/subtitles-1.srt', language: 'eng' },
        { url: 'file:///staged/subtitles-2.vtt', language: 'deu' },
      ],
    },
  ],
  [
    { subtitles: 'burn', addSubtitles: ['film.srt'] },
    { burn: 'default', add: [{ url: 'file:///staged/subtitles-1.srt' }] },
  ],
] as const)('describes %j as %j', (typed, field) => {
  const described = describeSubtitleArguments(
    structuredClone(typed) as Parameters<typeof describeSubtitleArguments>[0],
    userFolder,
  );
  expect(described?.fieldAt(urlOf)).toEqual(field);
  expect(ContainerSubtitles.safeParse(described?.fieldAt(urlOf)).success).toBe(true);
});

test('stages local subtitle files, and refuses missing files and conflicting options', () => {
  const described = describeSubtitleArguments(
    { addSubtitles: ['film.srt'], burnSubtitles: 'der Film.vtt' },
    userFolder,
  );
  expect(described?.files).toEqual([
    { path: join(userFolder, 'film.srt'), name: 'subtitles-1.srt' },
    { path: join(userFolder, 'der Film.vtt'), name: 'subtitles-2.vtt' },
  ]);
  expect(describeSubtitleArguments({}, userFolder)).toBeUndefined();
  expect(() => describeSubtitleArguments({ burnSubtitles: 'no.srt' }, userFolder)).toThrow('There is no file "no.srt"');
  expect(() => describeSubtitleArguments({ subtitles: 'burn', burnSubtitles: 'film.srt' }, userFolder)).toThrow(
    'cannot be combined',
  );
});
