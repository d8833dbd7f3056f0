import { test } from 'vitest';
import { expectSameBytes, type Row } from './mp3-identity-support.ts';

/** One row per kind of input, rate and mode. */
const rows: Row[] = [
  { input: 'music', format: 'mp3_128', segments: 4 },
  { input: 'music', format: 'mp3_320', segments: 3 },
  { input: 'speech', format: 'mp3_64', segments: 4 },
  { input: 'speech 22k', format: 'mp3_32', segments: 3 },
  { input: 'VBR mp3', format: 'mp3_128', sampleRate: 48_000, segments: 3 },
  { input: 'Vorbis', format: 'mp3_128', segments: 2 },
  { input: 'FLAC', format: 'mp3_192', sampleRate: 48_000, segments: 2 },
  { input: 'm4a', format: 'mp3_96', channels: 1, segments: 3 },
  { input: 'digital silence', format: 'mp3_128', segments: 4 },
  { input: 'clipping', format: 'mp3_160', segments: 3 },
  { input: 'music then speech', format: 'mp3_112', segments: 3 },
];

test.each(rows)('$input, $format, $channels ch, $sampleRate Hz, $segments segments: the same bytes', expectSameBytes);
