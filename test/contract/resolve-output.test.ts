import { describe, expect, test } from 'vitest';
import type { FileSettings } from '../../contract/file-settings.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { builtInPresets, type Presets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { settleFile } from '../support/settled-outputs.ts';

const presets: Presets = {
  ...builtInPresets,
  vbr: { container: 'mp3', audio: { quality: 2 } },
  dithered: { container: 'wav', audio: { bitDepth: 16, dither: 'triangular' } },
  float: { container: 'wav', audio: { bitDepth: 32, sampleFormat: 'float' } },
};

const planOf = (request: DescribedOutput) => {
  const { container, audio } = settleFile(request, presets);
  return { container, ...Object.fromEntries(Object.entries(audio ?? {}).filter(([, value]) => value !== undefined)) };
};

test.each<[DescribedOutput, object]>([
  [{ format: 'mp3_128' }, { container: 'mp3', codec: 'mp3', bitrate: 128 }],
  [{ format: 'mp3' }, { container: 'mp3', codec: 'mp3' }],
  [{ format: 'wav' }, { container: 'wav', codec: 'pcm' }],
  [
    { format: 'opus_24', channels: 1, sampleRate: 24_000 },
    { container: 'ogg', codec: 'opus', bitrate: 24, channels: 1, sampleRate: 24_000 },
  ],
  [
    { format: 'vorbis_128', sampleRate: 44_100 },
    { container: 'ogg', codec: 'vorbis', bitrate: 128, sampleRate: 44_100 },
  ],
  [
    { format: 'eac3_48', sampleRate: 48_000 },
    { container: 'eac3', codec: 'eac3', bitrate: 48, sampleRate: 48_000 },
  ],
  [
    { format: 'mp2_48', sampleRate: 48_000 },
    { container: 'mp2', codec: 'mp2', bitrate: 48, sampleRate: 48_000 },
  ],
  [{ container: 'flac' }, { container: 'flac', codec: 'flac' }],
  [
    { container: 'm4b', audio: { bitrate: 64 } },
    { container: 'm4b', codec: 'aac', bitrate: 64 },
  ],
  [
    { container: 'ogg', audio: { codec: 'vorbis', quality: 5 } },
    { container: 'ogg', codec: 'vorbis', quality: 5 },
  ],
  [
    { container: 'wav', audio: { bitDepth: 32 } },
    { container: 'wav', codec: 'pcm', samples: 32 },
  ],
  [
    { container: 'wav', audio: { sampleFormat: 'float' } },
    { container: 'wav', codec: 'pcm', samples: 'float' },
  ],
])('the output %j resolves to %j', (request, plan) => {
  expect(planOf(request)).toEqual(plan);
});

describe('a preset', () => {
  test('a preset equals a format of the same figures', () => {
    const { container, audio } = settleFile({ preset: 'speech-opus' }, presets);
    const format = settleFile({ format: 'opus_24', channels: 1, sampleRate: 24_000 }, presets);
    expect({ container, audio }).toEqual({ container: format.container, audio: format.audio });
  });

  test.each<[DescribedOutput, object]>([
    [
      { preset: 'podcast-mp3-stereo', audio: { bitrate: 192 } },
      { bitrate: 192, channels: 2, sampleRate: 44_100 },
    ],
    [
      { preset: 'podcast-mp3-stereo', channels: 1 },
      { bitrate: 128, channels: 1 },
    ],
    [
      { preset: 'podcast-aac', container: 'mp4' },
      { container: 'mp4', codec: 'aac', bitrate: 96 },
    ],
    [
      { preset: 'radio-wav-ebu', audio: { bitDepth: 16 } },
      { samples: 16, sampleRate: 48_000 },
    ],
    [
      { preset: 'radio-wav-ebu', audio: { sampleFormat: 'float' } },
      { samples: 'float', sampleRate: 48_000 },
    ],
    [{ preset: 'dithered', audio: { sampleFormat: 'float' } }, { samples: 'float' }],
  ])('fields beside a preset override it: %j', (request, plan) => {
    expect(planOf(request)).toMatchObject(plan);
  });

  test('a quality replaces the bitrate of a preset, a depth its float samples, and another codec all its figures', () => {
    expect(planOf({ preset: 'podcast-mp3-stereo', audio: { quality: 2 } })).not.toHaveProperty('bitrate');
    expect(planOf({ preset: 'vbr', audio: { bitrate: 96 } })).not.toHaveProperty('quality');
    expect(planOf({ preset: 'float', audio: { bitDepth: 24 } })).toMatchObject({ samples: 24 });
    const flac = planOf({ preset: 'podcast-mp3-stereo', container: 'flac', audio: { codec: 'flac' } });
    expect(flac).toEqual({ container: 'flac', codec: 'flac', channels: 2, sampleRate: 44_100 });
  });

  test('a sample rate that another codec cannot have is dropped from the preset, and refused in the request', () => {
    const opus = { preset: 'podcast-aac', container: 'ogg', audio: { codec: 'opus', bitrate: 64 } };
    expect(planOf(opus)).toEqual({ container: 'ogg', codec: 'opus', bitrate: 64, channels: 2 });
    const vorbis = { preset: 'podcast-aac', container: 'ogg', audio: { codec: 'vorbis', quality: 5 } };
    expect(planOf(vorbis)).toMatchObject({ codec: 'vorbis', sampleRate: 44_100 });
    for (const named of [
      { ...opus, sampleRate: 44_100 },
      { ...opus, audio: { ...opus.audio, sampleRate: 44_100 } },
    ]) {
      expect(() => planOf(named)).toThrow(/opus works at 8000, 12000, 16000, 24000, 48000 Hz/);
    }
  });

  test('a bitrate above the maxBitrate of a preset drops it, and one below keeps it', () => {
    const rates = [8000, 2000].map((bitrate) => {
      const { video } = settleFile({ preset: 'web-h264-1080', video: { bitrate } });
      return [video?.bitrate, video?.maxBitrate];
    });
    expect(rates).toEqual([
      [8000, undefined],
      [2000, 6000],
    ]);
    const named = { preset: 'web-h264-1080', video: { bitrate: 8000, maxBitrate: 6000 } };
    expect(() => settleFile(named)).toThrow(/maxBitrate of 6000 is below/);
  });

  test('resolves each built-in preset', () => {
    for (const preset of Object.keys(builtInPresets)) expect(() => resolveOutput({ preset }, presets)).not.toThrow();
  });
});

test.each<[DescribedOutput, RegExp, object]>([
  [{ format: 'divx_128' }, /^The output divx_128 cannot be made: known formats are mp3, /, { format: 'divx_128' }],
  [{ format: 'toString' }, /known formats/, { format: 'toString' }],
  [{ format: 'wav_16' }, /wav has no bitrate; use "wav"/, { format: 'wav_16' }],
  [{ format: 'aac' }, /aac needs a bitrate in kbit\/s, such as "aac_64"/, { format: 'aac' }],
  [{ format: 'heaac_48' }, /libfdk_aac, has a licence.*AAC-LC.*or for opus/, { format: 'heaac_48' }],
  [{ preset: 'podcast' }, /there is no preset of that name; known are podcast-mp3-stereo/, { preset: 'podcast' }],
  [{ preset: 'constructor' }, /there is no preset/, { preset: 'constructor' }],
  [{ container: 'avi' }, /known containers are mp3, m4a/, { container: 'avi' }],
  [{ container: 'm4a', audio: { codec: 'he-aac', bitrate: 48 } }, /libfdk_aac/, { container: 'm4a' }],
  [{ container: 'm4a', audio: { codec: 'divx' } }, /known codecs are mp3, /, { container: 'm4a' }],
  [{ container: 'mp3', audio: { codec: 'opus', bitrate: 64 } }, /mp3 files hold mp3, not opus/, { container: 'mp3' }],
  [{ container: 'ogg', audio: { codec: 'mp3' } }, /ogg files hold opus, vorbis or flac, not mp3/, { container: 'ogg' }],
  [{ preset: 'podcast-mp3-stereo', container: 'm4a' }, /m4a files hold aac or alac, not mp3/, {}],
  [{ container: 'm4a' }, /aac needs a bitrate in kbit\/s, such as 64/, {}],
  [{ container: 'flac', audio: { bitrate: 900 } }, /flac is lossless and has no bitrate/, {}],
  [{ container: 'mp3', audio: { bitrate: 128, quality: 2 } }, /use a bitrate or a quality, not both/, {}],
  [{ container: 'mp3', audio: { quality: 10 } }, /the quality of mp3 is a number from 0 \(best\) to 9/, {}],
  [{ container: 'ogg', audio: { quality: 5 } }, /opus has no quality; use a bitrate/, {}],
  [{ container: 'flac', audio: { quality: 5 } }, /flac has no quality\.$/, {}],
  [{ container: 'mp3', audio: { bitDepth: 16 } }, /mp3 is lossy, so it has no bitDepth and no sampleFormat/, {}],
  [{ container: 'flac', audio: { bitDepth: 32 } }, /flac has samples of 16 or 24 bits, not of 32/, {}],
  [{ container: 'flac', audio: { sampleFormat: 'float' } }, /flac has integer samples, not float/, {}],
  [{ container: 'wav', audio: { bitDepth: 16, sampleFormat: 'float' } }, /floating point has 32 bits, not 16/, {}],
  [{ container: 'mp3', audio: { bitrate: 128, dither: 'triangular' } }, /dither needs a bitDepth of 16/, {}],
  [{ container: 'wav', audio: { bitDepth: 24, dither: 'triangular' } }, /dither needs a bitDepth of 16/, {}],
  [{ container: 'mp3', audio: { channels: 6 } }, /mp3 has at most 2 channels/, {}],
  [{ container: 'ogg', audio: { bitrate: 64, sampleRate: 44_100 } }, /opus works at 8000, 12000/, {}],
  [{ container: 'mp3', audio: { bitrate: 320, sampleRate: 22_050 } }, /takes 8, 16.* kbit\/s/, { sampleRate: 22_050 }],
  [
    { container: 'flac', audio: { sampleRate: 99_999 } },
    /flac works at rates below 65,535 Hz and multiples of 10 Hz up to 655,340 Hz/,
    {},
  ],
])('refuses the output %j without a source: %s', (request, sentence, details) => {
  let refusal: unknown;
  try {
    resolveOutput(request, presets);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(UnsupportedOutput);
  expect((refusal as UnsupportedOutput).message).toMatch(sentence);
  expect((refusal as UnsupportedOutput).details).toMatchObject(details);
});

describe('subtitles of an output and its preset', () => {
  const [english, german] = ['https://media.test/en.srt', 'https://media.test/de.srt'].map((url) => ({ url }));
  const pictures = { video: { codec: 'h264' } } as const;
  const signs: Presets = {
    'house-keep': { container: 'mp4', ...pictures, subtitles: 'keep' },
    'house-add': { container: 'mp4', ...pictures, subtitles: { keep: ['deu'], add: [german!] } },
    'house-burn': { container: 'mp4', ...pictures, subtitles: 'burn' },
    'house-hls': { package: ['hls'], subtitles: { add: [german!] } },
  };
  const subtitlesOf = (preset: string, subtitles: DescribedOutput['subtitles'], presetSubtitles?: true) => {
    const output = resolveOutput({ preset, subtitles, presetSubtitles }, signs);
    const file = output.kind === 'package' ? output.common : output;
    const { keep, add, burn } = (file as FileSettings).subtitles ?? {};
    return { keep, add: add?.map(({ link }) => link.url), burn };
  };

  test.each<[string, DescribedOutput['subtitles'], true | undefined, object]>([
    ['house-keep', { add: [english!] }, true, { keep: 'all', add: [english!.url] }],
    ['house-keep', { add: [english!] }, undefined, { keep: [], add: [english!.url] }],
    ['house-keep', { burn: english! }, true, { keep: 'all', add: [], burn: { link: english } }],
    ['house-add', { keep: true, add: [english!] }, true, { keep: 'all', add: [german!.url, english!.url] }],
    ['house-burn', { add: [english!] }, true, { keep: [], add: [english!.url], burn: { track: 'default' } }],
    ['house-burn', undefined, undefined, { keep: [], add: [], burn: { track: 'default' } }],
    ['house-hls', { add: [english!] }, true, { keep: [], add: [german!.url, english!.url] }],
  ])('the preset %s with subtitles %j and presetSubtitles %j resolves to %j', (preset, subtitles, keeps, expected) => {
    expect(subtitlesOf(preset, subtitles, keeps)).toMatchObject(expected);
  });

  test('refuses to burn in the subtitles of both', () => {
    const both = () => subtitlesOf('house-burn', { burn: english! }, true);
    expect(both).toThrow(/its preset burns in subtitles, too; burn in only one of the two/);
  });
});
