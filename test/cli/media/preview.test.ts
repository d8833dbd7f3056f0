import { describe, expect, test } from 'vitest';
import { assertPreviewable } from '../../../cli/media/preview.ts';
import { estimateOf, previewTrim, wholeSpeedIn } from '../../../contract/preview.ts';
import { formatEstimate } from '../../../cli/run/format-estimate.ts';
import { encoding } from '../../support/progress.ts';

describe('the preview', () => {
  test.each([
    ['the middle of the source', {}, 3600, { start: 1795, end: 1805 }],
    ['the middle of the part that the output has', { start: 100, end: 200 }, 3600, { start: 145, end: 155 }],
    ['the middle of what the source has of it', { start: 3500, end: 9000 }, 3600, { start: 3545, end: 3555 }],
    ['all of a short source', {}, 9.5, {}],
    ['all of a short part', { start: 5, end: 15 }, 3600, { start: 5, end: 15 }],
  ])('covers %s', (_, trim, seconds, expected) => {
    expect(previewTrim(trim, seconds)).toEqual(expected);
  });

  test.each([
    [{ label: 'peaks', extension: 'json', isTagged: false }],
    [{ label: 'hls-h264', extension: undefined, isTagged: true }],
  ])('is refused for %j, which is no file to play', (wish) => {
    expect(() => assertPreviewable([{ output: {}, isFilm: false, ...wish }])).toThrow(
      `--preview works only for audio and video files. Leave out ${wish.label}.`,
    );
  });
});

test('estimates size and time of the whole from the bytes and the speed of the preview', () => {
  const outputs = [{ size: 1_600_000, duration: 10 }, { size: 160_000, duration: 10 }, { size: 5 }];
  const estimate = estimateOf(outputs, 3600, 2.5);
  expect(estimate).toEqual({
    mediaSeconds: 3600,
    sizes: [576_000_000, 57_600_000, undefined],
    speed: 2.5,
    encodeSeconds: 1440,
  });
  expect(formatEstimate(['web-h264-1080', 'mp3_128', 'peaks'], estimate)).toEqual([
    'Estimate for the whole (1:00:00), if all of it is like these 10 seconds:',
    '  web-h264-1080: about 549.3 MiB',
    '  mp3_128: about 54.9 MiB',
    '  time: about 24:00 to encode, at 2.5 times the speed of playback',
  ]);
});

test('takes no speed from the start of a preview, while the encoder fills up', () => {
  expect(wholeSpeedIn({ ...encoding, percent: 14, speed: 0.024 })).toBeUndefined();
  expect(wholeSpeedIn({ ...encoding, percent: 62, speed: 4.1 })).toBe(4.1);
});

test('says that the time is not known if ffmpeg reported no speed', () => {
  const lines = formatEstimate(['mp3_128'], estimateOf([{ size: 160_000, duration: 10 }], 60, undefined));
  expect(lines.at(-1)).toBe('  time: not known, because the preview was encoded too quickly to measure a speed');
});
