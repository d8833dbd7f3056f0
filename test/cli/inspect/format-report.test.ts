import { expect, test } from 'vitest';
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
  expect(text).toContain(`waveform    ${'▄'.repeat(32)}${'█'.repeat(32)}`);
  expect(text).toContain('Nothing stands out.');
  const silence = { ...goodReport.silence, count: 1, seconds: 2.5 };
  expect(formatReport({ ...goodReport, silence }, [])).toContain('1 pause, 2.5 s');
});

test('what comes of a file sends nothing to the terminal but text', () => {
  const source = { format: 'x\u001b]0;title\u0007', codec: 'y\u009b2J\n', isLossy: true };
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  expect(formatReport({ ...goodReport, source }, [])).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});
