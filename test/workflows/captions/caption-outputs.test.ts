import { expect, test } from 'vitest';
import type { MadeCaptions } from '../../../workflows/captions/make-captions.ts';
import { withCaptions } from '../../../workflows/captions/caption-outputs.ts';

const url = 's3://media/film/transcript.vtt';
const film = { container: 'mp4', video: { codec: 'h264' }, uploadUrl: 's3://media/film.mp4' } as const;
const made = { url, joinsPresets: true } as const;
const added = { url: 's3://media/de.srt', language: 'deu' };

test.each([
  [undefined, true, { add: [{ url }] }],
  ['drop', { language: 'eng' }, { add: [{ url, language: 'eng' }] }],
  ['keep', true, { keep: true, add: [{ url }] }],
  ['burn', true, { burn: 'default', add: [{ url }] }],
  ['keep', 'burn', { keep: true, burn: { url } }],
  [{ add: [added] }, { title: 'English' }, { add: [added, { url, title: 'English' }] }],
] as const)('subtitles %j with captions %j become %j', (subtitles, captions, expected) => {
  const output = { ...film, captions, ...(subtitles !== undefined && { subtitles: structuredClone(subtitles) }) };
  expect(withCaptions([output as Parameters<typeof withCaptions>[0][number]], made)).toEqual([
    { ...film, subtitles: expected },
  ]);
});

test('captions are on the clock of the sound, unless an older version has begun the run', () => {
  const captioned = [true, 'burn'].map(
    (captions) => ({ ...film, captions }) as Parameters<typeof withCaptions>[0][number],
  );
  const file = { url, clock: 'sound' };
  expect(withCaptions(captioned, { ...made, onSoundClock: true })).toEqual([
    { ...film, subtitles: { add: [file] } },
    { ...film, subtitles: { burn: file } },
  ]);
});

test('an output without captions stays as it is', () => {
  expect(withCaptions([film], made)).toEqual([film]);
  expect(withCaptions([{ ...film, captions: true }], {})).toEqual([film]);
});

test('captions leave the subtitles of a preset of PRESETS_FILE, and replace none of a built-in preset', () => {
  const { uploadUrl } = film;
  const captioned = (preset: string, captions: true | 'burn', joined: MadeCaptions = made) =>
    withCaptions([{ preset, captions, uploadUrl }], joined)[0];
  expect(captioned('house', true)).toMatchObject({ presetSubtitles: true, subtitles: { add: [{ url }] } });
  expect(captioned('house', 'burn')).toMatchObject({ presetSubtitles: true, subtitles: { burn: { url } } });
  const replaced = { uploadUrl, subtitles: { add: [{ url }] } };
  expect(captioned('house', true, { url })).toEqual({ preset: 'house', ...replaced });
  expect(captioned('web-h264-1080', true)).toEqual({ preset: 'web-h264-1080', ...replaced });
});
