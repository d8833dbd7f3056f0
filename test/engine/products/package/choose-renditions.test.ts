import { expect, test } from 'vitest';
import { chooseRenditions } from '../../../../engine/products/package/choose-renditions.ts';

const sizes = (codec: 'h264' | 'hevc' | 'av1', width: number, height: number, bitrate = 0) =>
  chooseRenditions(codec, { width, height, bitrate }).map((rung) => [rung.width ?? rung.height, rung.maxBitrate]);

test.each([
  // Apple's ladder without near duplicates.
  [
    'h264',
    1920,
    1080,
    0,
    [
      [1080, 7800],
      [720, 4500],
      [540, 2000],
      [432, 730],
      [360, 365],
      [234, 145],
    ],
  ],
  [
    'h264',
    640,
    360,
    0,
    [
      [360, 365],
      [234, 145],
    ],
  ],
  // Never larger than the source, and none similar to it.
  [
    'h264',
    534,
    300,
    0,
    [
      [300, 365],
      [234, 145],
    ],
  ],
  ['h264', 480, 270, 0, [[270, 365]]],
  ['h264', 160, 90, 0, [[90, 145]]],
  // Never more bits than the source.
  [
    'h264',
    1920,
    1080,
    1000,
    [
      [1080, 1000],
      [360, 365],
      [234, 145],
    ],
  ],
  ['h264', 1920, 1080, 5, [[1080, 20]]],
  // Judged by the shorter side.
  [
    'h264',
    406,
    720,
    0,
    [
      [406, 730],
      [234, 145],
    ],
  ],
  [
    'hevc',
    3840,
    2160,
    0,
    [
      [2160, 16_800],
      [1440, 8100],
      [1080, 4680],
      [720, 2700],
      [540, 1200],
      [432, 438],
      [360, 219],
      [234, 87],
    ],
  ],
  [
    'h264',
    3840,
    2160,
    0,
    [
      [1080, 7800],
      [720, 4500],
      [540, 2000],
      [432, 730],
      [360, 365],
      [234, 145],
    ],
  ],
  [
    'av1',
    640,
    360,
    0,
    [
      [360, undefined],
      [234, undefined],
    ],
  ],
] as const)('a source of %s at %i x %i and %i kbit/s is offered as %j', (codec, width, height, bitrate, expected) => {
  expect(sizes(codec, width, height, bitrate)).toEqual(expected);
});
