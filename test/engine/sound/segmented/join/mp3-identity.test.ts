import { test } from 'vitest';
import { expectSameBytes, type Row } from './mp3-identity-support.ts';

/** Inputs with exact and inexact lengths, one that is resampled, mono, silence and a change; the matrix has all rows. */
const rows: Row[] = [
  { input: 'music', format: 'mp3_128', segments: 4 },
  { input: 'speech 22k', format: 'mp3_32', segments: 3 },
  { input: 'VBR mp3', format: 'mp3_128', sampleRate: 48_000, segments: 3 },
  { input: 'm4a', format: 'mp3_96', channels: 1, segments: 3 },
  { input: 'digital silence', format: 'mp3_128', segments: 4 },
  { input: 'music then speech', format: 'mp3_112', segments: 3 },
];

test.each(rows)('$input, $format, $channels ch, $sampleRate Hz, $segments segments: the same bytes', expectSameBytes);
