import { describe, expect, test } from 'vitest';
import { type ComparedRun, isLike, kindOf } from '../../../client/estimates/compare-runs.ts';

const mp3 = kindOf({ format: 'mp3_128' });
const web = kindOf({ preset: 'web-h264-720' });

const song: ComparedRun = {
  kinds: [mp3],
  source: { duration: 60, channels: 2, sampleRate: 44_100, bitrate: 1411 },
  hasPictures: false,
};
const film: ComparedRun = {
  kinds: [web],
  source: { ...song.source, pictures: { width: 1920, height: 1080, fps: 25 } },
  hasPictures: true,
};

test('outputs are of one kind if their settings are equal, in any order and for any part of the source', () => {
  const output = { container: 'mp4', video: { codec: 'h264', crf: 21 } };
  const kind = kindOf(output);
  expect(kindOf({ video: { crf: 21, codec: 'h264' }, container: 'mp4', trim: { start: 5 } })).toBe(kind);
  expect(kindOf({ ...output, video: { codec: 'h264', crf: 22 } })).not.toBe(kind);
});

describe('past runs', () => {
  test('a past run is of the same kind only if it had the same outputs, in any order', () => {
    const both = { ...song, kinds: [mp3, web] };
    expect(isLike(both, [web, mp3], { duration: 5 })).toBe(true);
    expect(isLike(both, [web], { duration: 5 })).toBe(false);
    expect(isLike(both, [web, mp3, mp3], { duration: 5 })).toBe(false);
  });

  test.each([
    [{ channels: 2, sampleRate: 44_100 }, true],
    [{ channels: 1, sampleRate: 44_100 }, false],
    [{ channels: 2, sampleRate: 8000 }, false],
    [{}, true],
  ])('compares a past run of sound with sound of %j', (facts, expected) => {
    expect(isLike(song, [mp3], { duration: 5, ...facts })).toBe(expected);
  });

  test.each([
    [{ width: 1080, height: 1920, fps: 25 }, true],
    [{ width: 1920, height: 1080, fps: 30 }, true],
    [{ width: 1920, height: 1080, fps: 50 }, false],
    [{ width: 1280, height: 720, fps: 25 }, false],
    [{ width: 1920, height: 1080 }, true],
    [{ channels: 6 }, true],
  ])('compares a past run of a film with a film of %j', (facts, expected) => {
    expect(isLike(film, [web], { duration: 5, ...facts })).toBe(expected);
  });

  test('a past run of a film whose pictures have no known size is of no kind', () => {
    const older = { ...film, source: song.source };
    expect(isLike(older, [web], { duration: 5, width: 1920, height: 1080 })).toBe(false);
  });
});
