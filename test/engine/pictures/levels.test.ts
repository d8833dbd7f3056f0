import { expect, test } from 'vitest';
import { findLevelProblem, type LevelledPictures, mostBitrateOf } from '../../../engine/pictures/levels.ts';
import { isWithinLevel, levelOf } from '../../../engine/ffmpeg/stream-level.ts';

const film: LevelledPictures = {
  ...{ codec: 'h264', level: '4', pixelFormat: 'yuv420p', size: { width: 1920, height: 1080 } },
  timing: { kind: 'constant', fps: { num: 30, den: 1 }, frames: 30, startSeconds: 0 },
  ...{ bitrate: undefined, maxBitrate: undefined },
};
const at = (num: number, den = 1): Pick<LevelledPictures, 'timing'> => ({
  timing: { kind: 'constant', fps: { num, den }, frames: 30, startSeconds: 0 },
});

// Common limits of each level, such as 1080p30 for 4 and 2160p60 for 5.2 (Wikipedia, "Advanced Video Coding", levels).
test.each<[string, Partial<LevelledPictures>, string | undefined]>([
  ['1080p of 30 pictures a second in 4', {}, undefined],
  [
    '1080p of 60 in 4',
    at(60),
    'level 4 of h264 is too low for 60 pictures a second of 1920x1080 pixels; use level 4.2',
  ],
  ['1080p of 60 in 4.2', { ...at(60), level: '4.2' }, undefined],
  ['720p of 60 in 3.2', { ...at(60), level: '3.2', size: { width: 1280, height: 720 } }, undefined],
  ['1080p in 3.1', { level: '3.1' }, 'level 3.1 of h264 is too low for pictures of 1920x1080 pixels; use level 4'],
  [
    'a ribbon in 1',
    { level: '1', size: { width: 512, height: 16 } },
    'level 1 of h264 is too low for pictures of 512x16 pixels; use level 1.1',
  ],
  [
    '2160p of 60 in HEVC 5.1',
    { codec: 'hevc', level: '5.1', size: { width: 3840, height: 2160 }, ...at(60) },
    undefined,
  ],
  [
    '1080p of 60 in HEVC 4',
    { codec: 'hevc', ...at(60) },
    'level 4 of hevc is too low for 60 pictures a second of 1920x1080 pixels; use level 4.1',
  ],
  ['1080p of 32.1 in HEVC 4', { codec: 'hevc', ...at(321, 10) }, undefined],
  [
    'as many pictures of 1916x1082 pixels, which are coded as 1920x1088',
    { codec: 'hevc', size: { width: 1916, height: 1082 }, ...at(321, 10) },
    'level 4 of hevc is too low for 32.1 pictures a second of 1916x1082 pixels; use level 4.1',
  ],
  [
    'more bits than two seconds of its buffer',
    { maxBitrate: 16_000 },
    'level 4 of h264 allows 15625 kbit/s at most here, and the request asks for 16000',
  ],
  ['fewer', { maxBitrate: 15_625 }, undefined],
  ['any where no level is asked for', { level: undefined, ...at(240) }, undefined],
  [
    'a variable rate whose quickest pictures are too many',
    {
      timing: {
        kind: 'variable',
        timeBase: { num: 1, den: 1000 },
        stamps: [0, 40, 50, 90],
        startTicks: 0,
        endTicks: 130,
      },
    },
    'level 4 of h264 is too low for 100 pictures a second of 1920x1080 pixels; use level 5.1',
  ],
])('%s', (_, change, problem) => {
  expect(findLevelProblem({ ...film, ...change })).toBe(problem);
});

test('10 bits and more colour may have more bits', () => {
  expect(mostBitrateOf({ ...film, pixelFormat: 'yuv420p10le' })).toBe(37_500);
  expect(mostBitrateOf({ ...film, pixelFormat: 'yuv422p' })).toBe(50_000);
  expect(mostBitrateOf({ ...film, codec: 'hevc', level: '4.1', pixelFormat: 'yuv420p10le' })).toBe(10_000);
  expect(mostBitrateOf({ ...film, level: undefined })).toBeUndefined();
});

test.each([
  ['h264', 41, '4.1'],
  ['h264', 40, '4'],
  ['h264', 9, '1b'],
  ['hevc', 123, '4.1'],
  ['av1', 8, '4'],
  ['av1', 13, '5.1'],
  ['av1', 31, undefined],
  ['vp9', -99, undefined],
  ['prores', 4, undefined],
])('%s states %i for level %s', (codec, said, level) => {
  expect(levelOf(codec, said)).toBe(level);
});

test('a level includes lower ones', () => {
  expect(['1', '1b', '4', '4.1', '5', undefined].map((found) => isWithinLevel(found, '4.1'))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(isWithinLevel('1b', '1')).toBe(false);
});
