import { expect, test } from 'vitest';
import { chooseEntry } from '../../../../engine/sound/segmented/entry.ts';

test.each([
  ['wav', 'pcm_s16le', 's16', 2, { kind: 'seek' }],
  ['wav', 'pcm_f32le', 'flt', 6, { kind: 'seek' }],
  ['wav', 'adpcm_ms', 's16', 2, { kind: 'pcm', shape: { format: 's16le' } }],
  ['flac', 'flac', 's32', 2, { kind: 'seek' }],
  ['mp3', 'mp3', 'fltp', 2, { kind: 'pcm', shape: { format: 'f32le', sampleBytes: 8 } }],
  ['mov,mp4,m4a,3gp,3g2,mj2', 'aac', 'fltp', 1, { kind: 'pcm', shape: { format: 'f32le', sampleBytes: 4 } }],
  ['mov,mp4,m4a,3gp,3g2,mj2', 'alac', 's32p', 2, { kind: 'pcm', shape: { format: 's32le' } }],
  ['matroska,webm', 'ac3', 'fltp', 6, { kind: 'none' }],
  ['ogg', 'vorbis', undefined, 2, { kind: 'none' }],
])('%s with %s (%s, %d ch) is entered in the exact way', (formatName, codec, sampleFormat, channels, entry) => {
  const shape = { sampleFormat, channels, channelLayout: undefined, sampleRate: 44_100 };
  expect(chooseEntry({ formatName, codec, declaredSeconds: 60, ...shape })).toMatchObject(entry);
});
