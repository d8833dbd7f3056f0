import { expect, test } from 'vitest';
import type { MediaFacts } from '../../../contract/http/media.ts';
import { formatReport } from '../../../cli/inspect/format-report.ts';
import { sparkLine } from '../../../cli/text/spark-line.ts';
import { goodReport } from './report-sample.ts';

test('a spark line keeps the shape and shows the greatest height per character', () => {
  expect(sparkLine([0, 0.5, 1, 0.01], 4)).toBe(' ▄█▁');
  expect(sparkLine([0, 0.5], 4)).toBe('  ▄▄');
  expect(sparkLine([0.1, 1, 0.1, 0, 0, 0], 2)).toBe('█ ');
  expect(sparkLine([], 4)).toBe('');
});

test('a report is a table with waveform, loudness curve and findings', () => {
  const text = formatReport(goodReport, [-0.5, 0.25, 0, 1]);
  expect(text).toContain('flac in flac · 44100 Hz stereo · 01:01.3');
  expect(text).toContain('-16 LUFS · range 5 LU');
  expect(text).toContain(`waveform    ${'▄'.repeat(24)}${'█'.repeat(24)}`);
  expect(text).toContain('No findings.');
  expect(text).toContain('loudest 3 s -12 LUFS at 00:00.0');
  expect(text).toContain('╵00:00          ╵00:20          ╵00:40');
  const silence = { ...goodReport.silence, count: 1, seconds: 2.5 };
  expect(formatReport({ ...goodReport, silence }, [])).toContain('1 pause, 2.5 s');
});

test('a report has no minus sign before zero', () => {
  const levels = [-0.000_04, -0.000_06, 0.000_04].map((dcOffset) => ({ peak: -1, rms: -20, dcOffset }));
  expect(formatReport({ ...goodReport, levels }, [])).toMatch(/DC offset +0\.00 % · -0\.01 % · 0\.00 %/);
});

test('a report contains no control characters from the file', () => {
  const source = { format: 'x\u001b]0;title\u0007', codec: 'y\u009b2J\n', isLossy: true };
  // oxlint-disable-next-line no-control-regex -- the test searches for control characters
  expect(formatReport({ ...goodReport, source }, [])).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('a report fits into a terminal of 80 columns', () => {
  const streams: MediaFacts['streams'] = [
    {
      index: 0,
      type: 'video',
      codec: 'hevc',
      profile: 'Main 10',
      isDefault: true,
      bitrate: 40_000,
      width: 1920,
      height: 1080,
      pixelFormat: 'yuv420p10le',
      fps: 25,
      color: { space: 'bt2020nc', transfer: 'smpte2084' },
    },
  ];
  const text = formatReport({ ...goodReport, file: { streams, tags: {}, chapters: [] } }, [-0.5, 0.25], 80);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).toContain('25 fps\n              bt2020nc');
});

test('the waveform of a recording with pauses stays one line on a terminal of 50 columns', () => {
  const text = formatReport(goodReport, [-0.5, 0.25, 0, 0, 0, 1], 50);
  expect(text.split('\n').filter((line) => line.length > 50)).toEqual([]);
  expect(text).toContain(`waveform    ${'▄'.repeat(7)}${' '.repeat(7)}${'█'.repeat(6)}`);
});

test('the report of a silent film shows the file and the findings of its video', () => {
  const film = {
    index: 0,
    type: 'video',
    codec: 'h264',
    isDefault: true,
    width: 720,
    height: 576,
    fps: 30,
    isInterlaced: true,
    pixelAspect: '16:15',
    color: { hdr: 'hlg' as const },
  };
  const timing = { frames: 300, seconds: 12, isConstant: false, fps: 24.99, keyframes: 1, longestGroup: 12.5 };
  const file = { streams: [film], tags: {}, chapters: [], pictures: timing };
  const text = formatReport({ version: 1, source: { format: 'mov' }, file, duration: 12 }, []);
  expect(text).toContain('source      mov · 00:12.0 · no audio');
  for (const finding of [
    'is HLG video: SDR screens need tone mapping',
    'is interlaced: modern screens need it deinterlaced',
    'has non-square pixels: 16:15',
    'has a variable frame rate',
    'declares 30 fps, but has 24.99',
    'has up to 12.5 s between key frames',
  ]) {
    expect(text).toContain(`- ${finding}`);
  }
  expect(text).not.toMatch(/loudness|waveform/);
  const cover = { ...file, streams: [{ ...film, isCover: true }] };
  expect(formatReport({ ...goodReport, file: cover }, [])).toContain('No findings.');
});
