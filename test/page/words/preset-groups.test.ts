import { expect, test } from 'vitest';
import { builtInPresets, type Presets } from '../../../contract/presets.ts';
import { fitsSearch, presetBadge } from '../../../page/words/preset-facts.ts';
import { groupPresets } from '../../../page/words/preset-groups.ts';
import { kindOfName, type SourceKind } from '../../../page/words/source-kind.ts';

const presets = Object.entries(builtInPresets as Presets).map(([name, preset]) => ({ ...preset, name }));

function namesByGroup(kind: SourceKind): Record<string, string[]> {
  const groups = groupPresets(presets, kind).map(({ group, presets: found }) => [group, found.map(({ name }) => name)]);
  return Object.fromEntries(groups) as Record<string, string[]>;
}

test('a film is offered every preset once: web, streaming, social media, audio only, archive', () => {
  const groups = namesByGroup('film');
  expect(Object.keys(groups)).toEqual(['web', 'streaming', 'social', 'sound', 'archive']);
  expect(groups['streaming']).toEqual(['hls-h264', 'hls-hevc', 'hls-av1']);
  expect(groups['social']).toEqual(['social-9x16', 'social-9x16-blur', 'social-1x1']);
  expect(groups['archive']).toEqual(['archive-ffv1', 'mezzanine-prores', 'proxy-360']);
  expect(groups['sound']).toContain('podcast-mp3-mono');
  const offered = Object.values(groups).flat();
  expect(offered.toSorted()).toEqual(presets.map(({ name }) => name).toSorted());
});

test('an audio file is offered podcast, speech, archive and audio streaming, and no preset with pictures', () => {
  expect(namesByGroup('sound')).toEqual({
    podcast: ['podcast-mp3-stereo', 'podcast-mp3-mono', 'podcast-aac', 'podcast-opus', 'audiobook-m4b'],
    speech: ['speech-opus'],
    archive: ['radio-wav-ebu', 'archive-flac'],
    streaming: ['hls-audio'],
  });
});

test('the search finds presets by title, meaning, codec and name, in any order of words', () => {
  const found = (words: string): string[] =>
    presets.filter((preset) => fitsSearch(preset, words)).map(({ name }) => name);
  expect(found('vertical')).toEqual(['social-9x16', 'social-9x16-blur']);
  expect(found('phones HEVC')).toEqual(['web-hevc-1080', 'hls-hevc']);
  expect(found('speech-opus')).toEqual(['speech-opus']);
  expect(found('nothing like this')).toEqual([]);
});

test('a badge tells a preset from those beside it', () => {
  const badgeOf = (wanted: string) => presets.filter(({ name }) => name === wanted).map(presetBadge)[0];
  const names = ['web-h264-720', 'social-9x16', 'social-1x1', 'hls-av1', 'archive-ffv1', 'podcast-aac'];
  expect(names.map(badgeOf)).toEqual(['720', '9:16', '1:1', 'HLS', 'FFV1', 'M4A']);
});

test('the media type decides the kind of a file, and else its ending', () => {
  expect(kindOfName('a.mp4', 'video/mp4')).toBe('film');
  expect(kindOfName('a.webm', 'audio/webm')).toBe('sound');
  expect([kindOfName('a.MXF'), kindOfName('a.mka'), kindOfName('noise')]).toEqual(['film', 'sound', 'sound']);
});
