import { expect, test } from 'vitest';
import { createProgressReader } from '../../../container/ffmpeg/progress.ts';

test.each([
  [['out_time_us=1500000', 'speed=12.5x', 'progress=continue'], { mediaSeconds: 1.5, speed: 12.5 }],
  [['out_time_us=N/A', 'speed=N/A', 'progress=continue'], { mediaSeconds: 0, speed: undefined }],
  [['out_time_us=-21333', 'speed=   0x', 'progress=continue'], { mediaSeconds: 0, speed: 0 }],
  [['out_time_us=7', 'out_time_us=N/A', 'progress=end'], { mediaSeconds: 7e-6, speed: undefined }],
  [['=', 'nonsense', '', 'progress=end'], { mediaSeconds: 0, speed: undefined }],
])('%j is read as one report', (lines, report) => {
  const read = createProgressReader();
  const reports = lines.map(read);
  expect(reports.slice(0, -1).every((each) => each === undefined)).toBe(true);
  expect(reports.at(-1)).toEqual(report);
});
