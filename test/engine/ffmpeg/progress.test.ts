import { expect, test } from 'vitest';
import { createProgressReader, hasAdvanced } from '../../../engine/ffmpeg/progress.ts';

test.each([
  [['out_time_us=1500000', 'speed=12.5x', 'progress=continue'], { mediaSeconds: 1.5, speed: 12.5 }],
  [['out_time_us=N/A', 'speed=N/A', 'progress=continue'], { mediaSeconds: 0, speed: undefined }],
  [['out_time_us=-21333', 'speed=   0x', 'progress=continue'], { mediaSeconds: 0, speed: 0 }],
  [['out_time_us=7', 'out_time_us=N/A', 'progress=end'], { mediaSeconds: 7e-6, speed: undefined }],
  [['=', 'nonsense', '', 'progress=end'], { mediaSeconds: 0, speed: undefined }],
  [
    ['frame=48', 'fps=23.98', 'total_size=1000', 'out_time_us=N/A', 'speed=N/A', 'progress=continue'],
    { mediaSeconds: 0, speed: undefined, pictures: { frames: 48, framesPerSecond: 23.98 } },
  ],
  [['frame=N/A', 'fps=-1', 'progress=end'], { mediaSeconds: 0, pictures: { frames: 0, framesPerSecond: 0 } }],
])('%j is parsed as one report', (lines, report) => {
  const read = createProgressReader();
  const reports = lines.map(read);
  expect(reports.slice(0, -1).every((each) => each === undefined)).toBe(true);
  expect(reports.at(-1)).toEqual(report);
});

test('an encoder advances while it takes in pictures, even during lookahead without output', () => {
  const at = (mediaSeconds: number, frames?: number) => ({
    mediaSeconds,
    speed: 1,
    pictures: frames === undefined ? undefined : { frames, framesPerSecond: 25 },
  });
  expect(hasAdvanced(undefined, at(0, 0))).toBe(false);
  expect(hasAdvanced(undefined, at(0, 1))).toBe(true);
  expect(hasAdvanced(at(0, 10), at(0, 11))).toBe(true);
  expect(hasAdvanced(at(1, 11), at(1, 11))).toBe(false);
  expect(hasAdvanced(at(1), at(1.1))).toBe(true);
});
