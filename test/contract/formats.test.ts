import { describe, expect, test } from 'vitest';
import { audioCodecs, encodingOf } from '../../contract/audio-codecs.ts';
import {
  chunkContainer,
  containers,
  contentTypeOfName,
  formatExtension,
  formats,
  parseFormat,
} from '../../contract/formats.ts';

describe('the table of formats', () => {
  test('every format is a container of the table with a codec that it holds', () => {
    for (const { container, codec } of Object.values(formats)) {
      expect(containers[container].audioCodecs, container).toContain(codec);
    }
  });

  test('every codec goes into a container of the table', () => {
    const held = Object.values(containers).flatMap((container): string[] => [...container.audioCodecs]);
    expect(new Set(held)).toEqual(new Set(Object.keys(audioCodecs)));
  });

  test('no two containers share an extension', () => {
    const extensions = Object.values(containers).map(({ extension }) => extension);
    expect(new Set(extensions).size).toBe(extensions.length);
  });

  test('every codec names a layout for each count of channels that it takes', () => {
    for (const { maxChannels, channelLayouts } of Object.values(audioCodecs)) {
      expect(channelLayouts.length).toBeGreaterThanOrEqual(maxChannels);
    }
  });
});

describe('parseFormat', () => {
  test.each([
    ['mp3_128', { container: 'mp3', codec: 'mp3', bitrate: 128 }],
    ['mp3', { container: 'mp3', codec: 'mp3', bitrate: undefined }],
    ['flac', { container: 'flac', codec: 'flac', bitrate: undefined }],
    ['divx_128', undefined],
    ['toString', undefined],
    ['', undefined],
  ])('parses the format %s as %j', (format, expected) => {
    expect(parseFormat(format)).toEqual(expected);
  });
});

test.each([
  ['mp3_128', 'mp3'],
  ['mp2_192', 'mp2'],
  ['aac_96', 'm4a'],
  ['opus_24', 'ogg'],
  ['flac', 'flac'],
  ['wav', 'wav'],
  ['unheard_12', 'unheard'],
])('a file of the format %s ends with .%s', (format, extension) => {
  expect(formatExtension(format)).toBe(extension);
});

test.each([
  ['mp3', 'mp3'],
  ['aac', 'm4a'],
  ['opus', 'ogg'],
  ['vorbis', 'ogg'],
  ['pcm_s24le', 'wav'],
  ['flac', 'flac'],
  ['ac3', 'flac'],
  ['mp2', 'flac'],
  ['alac', 'flac'],
])('chunks of a source of %s are %s files', (codec, container) => {
  expect(chunkContainer(codec)).toBe(container);
});

test.each([
  ['chunk-00000.ogg', 'audio/ogg'],
  ['a.b.m4a', 'audio/mp4'],
  ['talk.txt', 'application/octet-stream'],
  ['talk', 'application/octet-stream'],
])('a file named %s has the type %s', (name, type) => {
  expect(contentTypeOfName(name)).toBe(type);
});

test('a lossless codec has an encoder for each depth, a lossy one the same for both', () => {
  expect(encodingOf('pcm', 24).encoder).toBe('pcm_s24le');
  expect(encodingOf('pcm', 16).probedName).toBe('pcm_s16le');
  expect(encodingOf('mp3', 24)).toBe(encodingOf('mp3', 16));
});
