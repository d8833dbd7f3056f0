import { expect, test } from 'vitest';
import { parseChapters } from '../../../page/words/chapter-lines.ts';
import { parseClock } from '../../../page/words/clock.ts';
import { draftOf } from '../../../page/words/earlier-draft.ts';
import { fittingExtras } from '../../../page/words/extras.ts';
import { draftOfSeveral, emptyDraft, type ExtrasDraft, extrasOf, filesOf } from '../../../page/words/extras-draft.ts';

const [cover, captions, logo] = ['cover.png', 'eng.srt', 'logo.png'].map((name) => new File(['x'], name));
const urlOf = ({ name }: File): string => `upload:${name}`;
const extras = (draft: Partial<ExtrasDraft>) => extrasOf({ ...emptyDraft, ...draft }, urlOf);

test.each([
  ['90', 90],
  [' 1:30 ', 90],
  ['1:02:03.5', 3723.5],
  ['90:00', 5400],
  ['1:75', undefined],
  ['1,5', undefined],
  ['', undefined],
])('reads the time “%s”', (text, seconds) => {
  expect(parseClock(text)).toBe(seconds);
});

test('reads one chapter per line, and names the first line without a time', () => {
  expect(parseChapters('0:00 Welcome\n\n12:30  The guest, part 2 \n')).toEqual({
    chapters: [
      { start: 0, title: 'Welcome' },
      { start: 750, title: 'The guest, part 2' },
    ],
    wrong: undefined,
  });
  expect(parseChapters('0:00 Welcome\nThe guest').wrong).toBe('The guest');
});

test('an untouched form adds nothing to the outputs', () => {
  expect(extrasOf(emptyDraft, urlOf)).toEqual({});
  expect(filesOf(emptyDraft)).toEqual([]);
});

test('entries that belong to one file are left out for several', () => {
  const ofAll: Partial<ExtrasDraft> = { metadata: { artist: 'Ann' }, cover: 'none', subtitles: 'keep' };
  const ofOne: Partial<ExtrasDraft> = {
    metadata: { artist: 'Ann', title: 'Harbour', description: 'Ships' },
    ...{ chapters: 'list', chapterLines: '0:01 One', start: '0:01', end: '0:09', captionsFile: captions },
  };
  const several = draftOfSeveral({ ...emptyDraft, ...ofAll, ...ofOne });
  expect(extrasOf(several, urlOf)).toEqual(extras(ofAll));
  expect(filesOf(several)).toEqual([]);
});

test('settings of one repeated run are left out for several files', () => {
  const draft = draftOf({
    metadata: { title: '', comment: '' },
    chapters: { url: 'upload:chapters.json' },
    cover: { url: 'upload:cover.png' },
    subtitles: { burn: { url: 'upload:eng.srt' } },
    captions: { title: 'English' },
  });
  expect(extrasOf(draftOfSeveral(draft), urlOf)).toEqual({
    metadata: { comment: '' },
    cover: { url: 'upload:cover.png' },
  });
});

test('entries become the fields of an output', () => {
  const draft: Partial<ExtrasDraft> = {
    metadata: { title: 'Harbour', artist: ' ' },
    chapters: 'list',
    chapterLines: '0:01 One',
    cover: 'file',
    coverFile: cover,
    start: '0:01',
    subtitles: 'keep',
    captionsFile: captions,
    language: 'eng',
    watermarkFile: logo,
    place: 'top-left',
    size: 20,
    opacity: 50,
  };
  expect(extras(draft)).toEqual({
    metadata: { title: 'Harbour' },
    chapters: [{ start: 1, title: 'One' }],
    cover: { url: 'upload:cover.png' },
    trim: { start: 1 },
    subtitles: { keep: true, add: [{ url: 'upload:eng.srt', language: 'eng' }] },
    watermark: { url: 'upload:logo.png', place: 'top-left', size: 0.2, opacity: 0.5 },
  });
  expect(filesOf({ ...emptyDraft, ...draft })).toEqual([cover, captions, logo]);
  expect(filesOf({ ...emptyDraft, ...draft, cover: 'none' })).toEqual([captions, logo]);
  expect(extras({ captionsFile: captions, captionsUse: 'burn' })).toEqual({
    subtitles: { burn: { url: 'upload:eng.srt' } },
  });
  expect(extras({ speech: 'add' })).toEqual({ captions: true });
  expect(extras({ speech: 'add', spokenLanguage: ' eng ', subtitles: 'burn' })).toEqual({
    subtitles: 'burn',
    captions: { language: 'eng' },
  });
  expect(extras({ speech: 'burn', captionsFile: captions })).toEqual({
    subtitles: { add: [{ url: 'upload:eng.srt' }] },
    captions: 'burn',
  });
  expect(extras({ subtitles: 'burn', cover: 'none', chapters: 'pauses' })).toEqual({
    subtitles: 'burn',
    cover: 'none',
    chapters: { fromSilence: {} },
  });
});

test.each<[Partial<ExtrasDraft>, string]>([
  [{ start: 'soon' }, '“soon” is not a time'],
  [{ start: '2:00', end: '1:00' }, 'The end must be after the start.'],
  [{ chapters: 'list', chapterLines: 'Welcome' }, '“Welcome” does not begin with a time'],
  [{ chapters: 'list' }, 'List at least one chapter.'],
  [{ subtitles: 'burn', captionsFile: captions, captionsUse: 'burn' }, 'Draw either the subtitles in the file or'],
  [{ subtitles: 'burn', speech: 'burn' }, 'Draw either subtitles or'],
  [{ captionsFile: captions, captionsUse: 'burn', speech: 'burn' }, 'Draw either subtitles or'],
])('a wrong entry %j is explained', (draft, words) => {
  expect(() => extras(draft)).toThrow(words);
});

const all = extras({
  metadata: { title: 'Harbour' },
  chapters: 'none',
  cover: 'none',
  start: '1',
  subtitles: 'keep',
  speech: 'add',
  watermarkFile: logo,
});

test.each([
  [{ name: 'mp3', container: 'mp3', audio: { codec: 'mp3' } }, ['metadata', 'chapters', 'cover', 'trim']],
  [{ name: 'mp4', container: 'mp4', video: { codec: 'h264' } }, Object.keys(all)],
  [
    { name: 'webm', container: 'webm', video: { codec: 'vp9' } },
    ['metadata', 'trim', 'subtitles', 'captions', 'watermark'],
  ],
  [{ name: 'ac3', container: 'ac3', audio: { codec: 'ac3' } }, ['trim']],
  [{ name: 'hls', package: ['hls' as const] }, ['trim', 'subtitles', 'captions', 'watermark']],
  [{ name: 'sound', package: ['hls' as const], video: false as const }, ['trim']],
])('an output gets only what it can hold: %j', (preset, fields) => {
  expect(Object.keys(fittingExtras(preset, all)).toSorted()).toEqual(fields.toSorted());
});

test('tags of the preset stay beside those of the form', () => {
  const preset = { name: 'wav', container: 'wav', metadata: { encoded_by: 'Holdfast', title: 'Old' } };
  expect(fittingExtras(preset, all).metadata).toEqual({ encoded_by: 'Holdfast', title: 'Harbour' });
});

test.each([
  {},
  { metadata: { title: 'Sea', artist: 'Anna' }, chapters: 'none', cover: 'none', trim: { start: 1.5, end: 90 } },
  { chapters: { fromSilence: {} }, subtitles: 'burn', captions: { language: 'eng' } },
  { chapters: [{ start: 0.5, title: 'Sea' }], subtitles: 'keep', captions: 'burn' },
  {
    cover: { url: 'upload:cover.png' },
    subtitles: { add: [{ url: 'upload:eng.srt' }] },
    watermark: { url: 'upload:logo.png', place: 'centre' },
    captions: true,
  },
  { chapters: { url: 'upload:chapters.json' }, captions: { language: 'eng', title: 'English' } },
  { chapters: { fromSilence: { minPause: 3 } } },
  { chapters: [{ start: 0, title: 'Sea', url: 'https://sea.example.com/' }] },
  { metadata: { title: 'Sea', comment: '' } },
])('the form of a repeated run gives its output again: %j', (output) => {
  expect(extrasOf(draftOf({ preset: 'web-h264-720', ...output }), urlOf)).toEqual(output);
});

test('a typed tag replaces one that the repeated run removed', () => {
  const draft = draftOf({ metadata: { artist: '', comment: '' } });
  expect(extras({ ...draft, metadata: { ...draft.metadata, comment: 'Calm' } })).toEqual({
    metadata: { artist: '', comment: 'Calm' },
  });
});

test('another cover and watermark replace those of the repeated run', () => {
  const draft = draftOf({ cover: { url: 'upload:old.png' }, watermark: { url: 'upload:old.png' } });
  expect(extras({ ...draft, cover: 'none', watermarkFile: logo })).toMatchObject({
    cover: 'none',
    watermark: { url: 'upload:logo.png' },
  });
});
