import { expect, test } from 'vitest';
import { formatLoudnessChange } from '../../../cli/run/format-outcome.ts';
import { formatTable, type RunReport } from '../../../cli/run/run-report.ts';

const report = (name: string, more: Partial<RunReport> = {}): RunReport => ({
  title: `${name} → mp3_128`,
  source: `/home/ada/${name}`,
  target: 'mp3_128',
  state: 'succeeded',
  tookSeconds: 3.21,
  files: [`out/${name.replace('.wav', '.mp3')}`],
  ...more,
});

test('the table shows the loudness change of each source, and notes below', () => {
  const reports = [
    report('talk.wav', { summary: { loudness: '-24.6 → -16.0 LUFS', notes: [] } }),
    report('b.wav', { summary: { loudness: '-9.1 → -16.0 LUFS', notes: ['mp3_128: The source is silent.'] } }),
    report('c.wav', { state: 'failed', files: [], message: 'It is no media.\nMore of it.' }),
  ];
  expect(formatTable(reports, 12_345, '/home/ada').split('\n')).toEqual([
    '  talk.wav  succeeded  3.2 s  -24.6 → -16.0 LUFS  out/talk.mp3',
    '  b.wav     succeeded  3.2 s   -9.1 → -16.0 LUFS  out/b.mp3',
    '  c.wav     failed     3.2 s                      It is no media.',
    'b.wav: mp3_128: The source is silent.',
    '2 succeeded, 1 failed in 12.3 s',
  ]);
});

test('the table lists failed sources last, with a reason that wraps between words on a narrow terminal', () => {
  const message = 'The source is an MP4 or MOV file whose index (moov) is missing. Copy the file again.';
  const reports = [
    report('a.wav', { state: 'failed', files: [], message }),
    report('b.wav'),
    report('c.wav', { state: 'skipped', files: [], message: 'Its outputs already exist.' }),
  ];
  expect(formatTable(reports, 1000, '/home/ada', 60).split('\n')).toEqual([
    '  b.wav  succeeded  3.2 s  out/b.mp3',
    '  c.wav  skipped    3.2 s  Its outputs already exist.',
    '  a.wav  failed     3.2 s',
    '      The source is an MP4 or MOV file whose index (moov) is',
    '      missing. Copy the file again.',
    '1 failed, 1 succeeded, 1 skipped in 1.0 s',
  ]);
});

test('the table has no empty loudness column', () => {
  const table = formatTable([report('talk.wav'), report('b.wav')], 1000, '/home/ada');
  expect(table.split('\n')[0]).toBe('  talk.wav  succeeded  3.2 s  out/talk.mp3');
});

test('lists equal loudness changes once, and shows silence without a value', () => {
  const facts = (source: number | null, integrated: number | null) => ({
    loudness: {
      integrated,
      truePeak: -1,
      range: 5,
      gain: 1,
      source: { integrated: source, truePeak: -3, range: 5 },
    },
  });
  expect(formatLoudnessChange([facts(-24.64, -16), facts(-24.6, -16.02), facts(-27.6, -19), {}])).toBe(
    '-24.6 → -16.0, -27.6 → -19.0 LUFS',
  );
  expect(formatLoudnessChange([facts(null, null)])).toBe('silence → silence LUFS');
  expect(formatLoudnessChange([{}])).toBeUndefined();
});
