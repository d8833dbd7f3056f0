import { styleText } from 'node:util';
import { formatCount } from '../../client/text/format-count.ts';
import type { AudioReport, MediaReport, SilentReport } from '../../contract/http/report.ts';
import { formatChannels } from '../text/format-channels.ts';
import { formatPlace } from '../text/format-place.ts';
import { printable } from '../text/printable.ts';
import { timeAxis } from '../text/time-axis.ts';
import { wrapLine } from '../text/wrap-text.ts';
import { describeFile } from './describe-file.ts';
import { filmFindingsOf } from './film-findings.ts';
import { findingsOf } from './findings.ts';
import { loudnessLine } from '../text/loudness-line.ts';
import { sparkLine } from '../text/spark-line.ts';

/** Characters before each value. */
const indent = 14;
/** Most characters of waveform and loudness curve, and those of the scale beside them. */
const [lineWidth, scaleWidth] = [48, 16];

type Row = [name: string, value: string];

const unit = (value: number | null, name: string): string => (value === null ? 'silence' : `${value} ${name}`);

function isSilent(report: MediaReport): report is SilentReport {
  return !('loudness' in report);
}

function soundRows(report: AudioReport): Row[] {
  const { source, duration, sampleRate, channels, loudness, levels, clipping, silence, stereo, noiseFloor, bandwidth } =
    report;
  const each = (value: (level: AudioReport['levels'][number]) => string): string => levels.map(value).join(' · ');
  return [
    [
      'source',
      `${source.codec} in ${source.format} · ${sampleRate} Hz ${formatChannels(channels)} · ${formatPlace(duration)}`,
    ],
    ['loudness', `${unit(loudness.integrated, 'LUFS')} · range ${loudness.range} LU`],
    ...loudestPlace(loudness),
    ['true peak', unit(loudness.truePeak, 'dBTP')],
    ['peak', each(({ peak }) => unit(peak, 'dBFS'))],
    ['RMS', each(({ rms }) => unit(rms, 'dBFS'))],
    ['DC offset', each(({ dcOffset }) => percentOf(dcOffset))],
    ['clipping', clipping.count === 0 ? 'none' : `${formatCount(clipping.count, 'run')}, ${clipping.samples} samples`],
    ['silence', `${formatCount(silence.count, 'pause')}, ${silence.seconds} s`],
    ['noise floor', unit(noiseFloor, 'dBFS')],
    ['bandwidth', `${(bandwidth.frequency / 1000).toFixed(1)} kHz`],
    ...(stereo === undefined
      ? []
      : [['stereo', `${stereo.kind.replace('_', ' ')} · correlation ${stereo.correlation ?? 'none'}`] satisfies Row]),
  ];
}

/** The loudest three seconds and their start. */
function loudestPlace({ greatestShortTerm, curve: { interval, shortTerm } }: AudioReport['loudness']): Row[] {
  if (greatestShortTerm === null) return [];
  const values = shortTerm.map((value) => value ?? -Infinity);
  const end = (values.indexOf(Math.max(...values)) + 1) * interval;
  return [['loudest 3 s', `${greatestShortTerm} LUFS at ${formatPlace(Math.max(0, end - 3))}`]];
}

/** Waveform and loudness over one time axis. `peaks` alternates minima and maxima as shares of full scale. */
function courseRows({ loudness, duration }: AudioReport, peaks: readonly number[], width: number): Row[] {
  const columns = Math.max(1, Math.min(lineWidth, width - indent - scaleWidth));
  const bars = Array.from({ length: peaks.length / 2 }, (_, pixel) =>
    Math.max(Math.abs(peaks[2 * pixel] ?? 0), Math.abs(peaks[2 * pixel + 1] ?? 0)),
  );
  return [
    ['waveform', sparkLine(bars, columns)],
    ['loudness', loudnessLine(loudness.curve.momentary, columns)],
    ['', timeAxis(duration, columns)],
  ];
}

/** The report as a table, wrapped at `width` characters, followed by the findings. Colours only on terminals. */
export function formatReport(report: MediaReport, peaks: readonly number[], width = Infinity): string {
  const style = (format: 'bold' | 'cyan' | 'yellow' | 'green', text: string): string =>
    styleText(format, text, { stream: process.stdout });
  // A container of another version may let control characters through.
  const line = ([name, value]: Row): string =>
    wrapLine(printable(value), width - indent)
      .map((part, index) => `  ${style('cyan', (index === 0 ? name : '').padEnd(indent - 2))}${part}`)
      .join('\n');
  const rows: Row[] = isSilent(report)
    ? [['source', `${report.source.format} · ${formatPlace(report.duration)} · no audio`]]
    : [...soundRows(report), ...courseRows(report, peaks, width)];
  const found = [
    ...(isSilent(report) ? [] : findingsOf(report)),
    ...(report.file === undefined ? [] : filmFindingsOf(report.file)),
  ];
  return [
    ...[...rows, ...describeFile(report.file)].map(line),
    '',
    ...(found.length === 0
      ? [style('green', '  No findings.')]
      : [
          style('bold', '  Findings:'),
          ...found.map((text) => style('yellow', `  - ${wrapLine(printable(text), width - 4).join('\n    ')}`)),
        ]),
  ].join('\n');
}

/** Rounds first, because `toFixed` writes small negative shares as -0.00. */
function percentOf(share: number): string {
  return `${(Math.round(share * 10_000) / 100).toFixed(2)} %`;
}
