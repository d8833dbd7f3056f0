import { test } from 'vitest';
import { expectSameBytes, inputs, type Row } from './mp3-identity-support.ts';

const rows: Row[] = [
  ...Object.keys(inputs).flatMap((input): Row[] => [
    { input, format: 'mp3_128', sampleRate: 44_100, segments: 2 },
    { input, format: 'mp3_128', sampleRate: 48_000, segments: 5 },
    { input, format: 'mp3_64', sampleRate: 44_100, channels: 1, segments: 8 },
    { input, format: 'mp3_64', sampleRate: 22_050, channels: 2, segments: 4 },
    { input, format: 'mp3_32', sampleRate: 16_000, channels: 1, segments: 3 },
  ]),
  ...[32, 40, 48, 56, 80, 96, 112, 160, 192, 224, 256, 320].map((bitrate): Row => ({
    input: 'music',
    format: `mp3_${bitrate}`,
    sampleRate: 44_100,
    segments: 4,
  })),
  // 8 kbit/s of speech above 8 kHz has no seam; the plan knows this.
  ...[16, 24, 40, 56, 96, 128, 160].map((bitrate): Row => ({
    input: 'speech 16k',
    format: `mp3_${bitrate}`,
    sampleRate: 24_000,
    segments: 3,
  })),
  ...[8000, 11_025, 12_000, 32_000].map((sampleRate): Row => ({
    input: 'music',
    format: 'mp3_48',
    sampleRate,
    channels: 1,
    segments: 3,
  })),
];

test.each(rows)('$input, $format, $channels ch, $sampleRate Hz, $segments segments: the same bytes', expectSameBytes);
