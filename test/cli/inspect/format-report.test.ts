import { expect, test } from 'vitest';
import type { MediaFacts } from '../../../contract/http/media.ts';
import { formatReport } from '../../../cli/inspect/format-report.ts';
import { sparkLine } from '../../../cli/text/spark-line.ts';
import { goodReport } from './report-sample.ts';

test('a waveform and a curve keep their shape, and the greatest of what is behind a character', () => {
  expect(sparkLine([0, 0.5, 1, 0.01], 4)).toBe(' ▄█▁');
  expect(sparkLine([0, 0.5], 4)).toBe('  ▄▄');
  expect(sparkLine([0.1, 1, 0.1, 0, 0, 0], 2)).toBe('█ ');
  expect(sparkLine([], 4)).toBe('');
});

test('a report is a table with its pictures and what to look at', () => {
  const text = formatReport(goodReport, [-0.5, 0.25, 0, 1]);
  expect(text).toContain('flac in flac · 44100 Hz stereo · 01:01.3');
  expect(text).toContain('-16 LUFS · range 5 LU');
  expect(text).toContain(`waveform    ${'▄'.repeat(24)}${'█'.repeat(24)}`);
  expect(text).toContain('Nothing stands out.');
  expect(text).toContain('loudest 3 s -12 LUFS at 00:00.0');
  expect(text).toContain('╵00:00          ╵00:20          ╵00:40');
  const silence = { ...goodReport.silence, count: 1, seconds: 2.5 };
  expect(formatReport({ ...goodReport, silence }, [])).toContain('1 pause, 2.5 s');
});

test('what comes of a file sends nothing to the terminal but text', () => {
  const source = { format: 'x\u001b]0;title\u0007', codec: 'y\u009b2J\n', isLossy: true };
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
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
  expect(text).toContain('yuv420p10le\n              25 a second');
});

test('a film without sound has what its file is, and what to look at in its pictures', () => {
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
  expect(text).toContain('source      mov · 00:12.0 · without sound');
  for (const finding of [
    'is in HLG: ordinary screens need it mapped',
    'is interlaced: screens of today need it deinterlaced',
    'has pixels that are no squares: 16:15',
    'has a frame rate that varies',
    'claims 30 frames a second, and has 24.99',
    'has up to 12.5 s without a key frame',
  ]) {
    expect(text).toContain(`- ${finding}`);
  }
  expect(text).not.toMatch(/loudness|waveform/);
  const cover = { ...file, streams: [{ ...film, isCover: true }] };
  expect(formatReport({ ...goodReport, file: cover }, [])).toContain('Nothing stands out.');
});
