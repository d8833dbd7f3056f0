import { expect, test } from 'vitest';
import { describeFile } from '../../../cli/inspect/describe-file.ts';
import { formatReport } from '../../../cli/inspect/format-report.ts';
import type { MediaFacts } from '../../../contract/http/media.ts';
import { goodReport } from './report-sample.ts';

const film: MediaFacts = {
  streams: [
    {
      index: 0,
      type: 'video',
      codec: 'hevc',
      profile: 'Main 10',
      isDefault: true,
      bitrate: 4000,
      width: 1920,
      height: 1080,
      pixelFormat: 'yuv420p10le',
      fps: 25,
      rotation: 90,
      isInterlaced: true,
      color: { space: 'bt2020nc', primaries: 'bt2020', transfer: 'smpte2084', range: 'tv', hdr: 'hdr10' },
    },
    {
      index: 1,
      type: 'audio',
      codec: 'aac',
      isDefault: false,
      language: 'deu',
      channels: 6,
      channelLayout: '5.1',
      sampleRate: 48_000,
    },
  ],
  tags: { title: 'A film' },
  chapters: [{ start: 0, end: 1 }],
  pictures: { frames: 250, seconds: 10, isConstant: true, fps: 25, keyframes: 5, longestGroup: 2 },
};

test('lists each stream, the frames, tags and chapters of a file', () => {
  expect(describeFile(film)).toEqual([
    [
      'stream 0',
      'video · hevc (Main 10) · 1920 × 1080 pixels · rotated by 90° · yuv420p10le · 25 fps · interlaced · HDR10 · bt2020nc bt2020 smpte2084 tv · 4000 kbit/s · default',
    ],
    ['stream 1', 'audio · aac · 48000 Hz · 5.1 · deu'],
    ['frames', '250 frames · 10 s · 25 fps, constant'],
    ['key frames', '5 · at most 2 s apart'],
    ['tag', 'title: A film'],
    ['chapters', '1 chapter'],
  ]);
});

test('shows the range of a variable frame rate, and at most 12 tags', () => {
  const pictures = { frames: 9, seconds: 1, isConstant: false, fps: 9, shortest: 0.02, longest: 0.5, keyframes: 1 };
  const tags = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`tag${index}`, 'x']));
  const rows = describeFile({ ...film, streams: [], tags, pictures: { ...pictures, longestGroup: 1 } });
  expect(rows[0]).toEqual(['frames', '9 frames · 1 s · 9 fps on average, 0.02 to 0.5 s apart']);
  expect(rows.at(-2)).toEqual(['tags', '2 more; --json has all']);
});

test('escapes control characters in tags', () => {
  const text = formatReport({ ...goodReport, file: { ...film, tags: { title: '\u001b[2Jgone' } } }, []);
  expect(text).toContain('title: ');
  expect(text).not.toContain('\u001b[2J');
});
