import { styleText } from 'node:util';
import { formatCount } from '../../client/text/format-count.ts';
import type { PackageReport } from '../../contract/package-report.ts';
import { formatPlace } from '../text/format-place.ts';
import { printable } from '../text/printable.ts';
import { wrapLine } from '../text/wrap-text.ts';

const kindNames = { hls: 'HLS', dash: 'DASH' };

const kbits = (bits: number): number => Math.round(bits / 1000);

function describePart({
  kind,
  codecs,
  segments,
  seconds,
  average,
  peak,
  keyFrames,
}: PackageReport['parts'][number]): string {
  return [
    codecs.length === 0 ? kind : `${kind} ${codecs.join(' + ')}`,
    `${formatCount(segments, 'segment')} · ${formatPlace(seconds)}`,
    `${kbits(average)} kbit/s, up to ${kbits(peak)}`,
    ...(keyFrames === undefined ? [] : [formatCount(keyFrames, 'key frame')]),
  ].join(' · ');
}

/** Contents of a package, then its problems and notes. Colours only on terminals. */
export function formatPackage({ kinds, parts, problems, notes, notChecked }: PackageReport, width = Infinity): string {
  const style = (format: 'bold' | 'cyan' | 'yellow' | 'green' | 'red' | 'dim', text: string): string =>
    styleText(format, text, { stream: process.stdout });
  const nameWidth = Math.max(10, ...parts.map(({ name }) => printable(name).length)) + 2;
  const row = (name: string, value: string): string =>
    wrapLine(printable(value), width - nameWidth - 2)
      .map((line, index) => `  ${style('cyan', (index === 0 ? printable(name) : '').padEnd(nameWidth))}${line}`)
      .join('\n');
  const list = (title: string, format: 'yellow' | 'red' | 'dim', texts: readonly string[]): string[] =>
    texts.length === 0
      ? []
      : [
          '',
          style('bold', `  ${title}:`),
          ...texts.map((text) => style(format, `  - ${wrapLine(printable(text), width - 4).join('\n    ')}`)),
        ];
  return [
    row('package', kinds.map((kind) => kindNames[kind]).join(' and ')),
    ...parts.map((part) => row(part.name, describePart(part))),
    ...(problems.length === 0
      ? ['', style('green', '  No problems found.')]
      : list(formatCount(problems.length, 'problem'), 'red', problems)),
    ...list('To check', 'yellow', notes),
    ...list('Not checked', 'dim', notChecked),
  ].join('\n');
}
