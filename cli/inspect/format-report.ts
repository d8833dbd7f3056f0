import { styleText } from 'node:util';
import { formatCount } from '../../client/text/format-count.ts';
import type { AudioReport } from '../../contract/http/report.ts';
import { formatChannels } from '../text/format-channels.ts';
import { formatPlace } from '../text/format-place.ts';
import { printable } from '../text/printable.ts';
import { describeFile } from './describe-file.ts';
import { findingsOf } from './findings.ts';
import { loudnessLine } from '../text/loudness-line.ts';
import { sparkLine } from '../text/spark-line.ts';

/** Characters of the waveform and the curve; the names before them take 14. */
const lineWidth = 64;

const unit = (value: number | null, name: string): string => (value === null ? 'silence' : `${value} ${name}`);

function rowsOf(report: AudioReport): [name: string, value: string][] {
  const { source, duration, sampleRate, channels, loudness, levels, clipping, silence, stereo, noiseFloor, bandwidth } =
    report;
  const each = (value: (level: AudioReport['levels'][number]) => string): string => levels.map(value).join(' · ');
  return [
    [
      'source',
      `${source.codec} in ${source.format} · ${sampleRate} Hz ${formatChannels(channels)} · ${formatPlace(duration)}`,
    ],
    ['loudness', `${unit(loudness.integrated, 'LUFS')} · range ${loudness.range} LU`],
    ['true peak', unit(loudness.truePeak, 'dBTP')],
    ['peak', each(({ peak }) => unit(peak, 'dBFS'))],
    ['RMS', each(({ rms }) => unit(rms, 'dBFS'))],
    ['DC offset', each(({ dcOffset }) => `${(dcOffset * 100).toFixed(2)} %`)],
    ['clipping', clipping.count === 0 ? 'none' : `${formatCount(clipping.count, 'run')}, ${clipping.samples} samples`],
    ['silence', `${formatCount(silence.count, 'pause')}, ${silence.seconds} s`],
    ['noise floor', unit(noiseFloor, 'dBFS')],
    ['bandwidth', `${(bandwidth.frequency / 1000).toFixed(1)} kHz`],
    ...(stereo === undefined
      ? []
      : [['stereo', `${stereo.kind.replace('_', ' ')} · correlation ${stereo.correlation ?? 'none'}`] as const]),
  ].map(([name = '', value = '']) => [name, value]);
}

/** Waveform and loudness as lines of text. `peaks`: the least and the greatest in turn, as shares of full scale. */
function picturesOf({ loudness }: AudioReport, peaks: readonly number[]): [name: string, value: string][] {
  const bars = Array.from({ length: peaks.length / 2 }, (_, pixel) =>
    Math.max(Math.abs(peaks[2 * pixel] ?? 0), Math.abs(peaks[2 * pixel + 1] ?? 0)),
  );
  return [
    ['waveform', sparkLine(bars, lineWidth)],
    ['loudness', loudnessLine(loudness.curve.momentary, lineWidth)],
  ];
}

/** The report as a table, with what a person should look at below. Colours are for terminals alone. */
export function formatReport(report: AudioReport, peaks: readonly number[]): string {
  const style = (format: 'bold' | 'cyan' | 'yellow' | 'green', text: string): string =>
    styleText(format, text, { stream: process.stdout });
  // All that comes of a file is made harmless, whatever a container of another version lets through.
  const line = ([name, value]: [string, string]): string => `  ${style('cyan', name.padEnd(12))}${printable(value)}`;
  const found = findingsOf(report);
  return [
    ...[...rowsOf(report), ...picturesOf(report, peaks), ...describeFile(report.file)].map(line),
    '',
    ...(found.length === 0
      ? [style('green', '  Nothing stands out.')]
      : [style('bold', '  To look at:'), ...found.map((text) => style('yellow', `  - ${printable(text)}`))]),
  ].join('\n');
}
