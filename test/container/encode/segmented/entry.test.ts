import { expect, test } from 'vitest';
import { chooseEntry } from '../../../../container/encode/segmented/entry.ts';

test.each([
  ['wav', 'pcm_s16le', 's16', 2, { kind: 'seek' }],
  ['wav', 'pcm_f32le', 'flt', 6, { kind: 'seek' }],
  ['wav', 'adpcm_ms', 's16', 2, { kind: 'pcm', rawFormat: 's16le' }],
  ['flac', 'flac', 's32', 2, { kind: 'seek' }],
  ['mp3', 'mp3', 'fltp', 2, { kind: 'pcm', rawFormat: 'f32le', bytesPerSecond: 352_800 }],
  ['mov,mp4,m4a,3gp,3g2,mj2', 'aac', 'fltp', 1, { kind: 'pcm', rawFormat: 'f32le', bytesPerSecond: 176_400 }],
  ['mov,mp4,m4a,3gp,3g2,mj2', 'alac', 's32p', 2, { kind: 'pcm', rawFormat: 's32le' }],
  ['matroska,webm', 'ac3', 'fltp', 6, { kind: 'none' }],
  ['ogg', 'vorbis', undefined, 2, { kind: 'none' }],
])('%s with %s (%s, %d ch) is entered in the way that is exact', (formatName, codec, sampleFormat, channels, entry) => {
  expect(chooseEntry({ formatName, codec, sampleFormat, channels, sampleRate: 44_100 })).toMatchObject(entry);
});
