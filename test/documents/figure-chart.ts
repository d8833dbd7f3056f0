import { text } from '../soak/line-chart.ts';
import { withUnit } from '../../bench/figures.ts';
import { type Aim, aims, isMissed } from './figure-tables.ts';

export const figureChart = 'docs/figures.svg';

const [width, labelsEnd, figuresStart, lineHeight] = [900, 360, 700, 20];
/** Largest share of a target that the chart has room for. */
const mostShare = 2.5;

const x = (share: number): number => {
  const inRange = Math.max(0, Math.min(mostShare, share));
  return Math.round(labelsEnd + (inRange / mostShare) * (figuresStart - labelsEnd - 10));
};

function drawAim(aim: Aim, top: number): string[] {
  const { target, what, reached } = aim;
  const { atMost, unit, figure } = target;
  const middle = top + lineHeight / 2 - 2;
  const label = text(labelsEnd - 8, middle + 4, `${what}, ${figure}`.replaceAll('`', ''), 'text-anchor="end"');
  const asked = `asked ${withUnit(atMost, unit)}`;
  if (reached === undefined) return [label, text(figuresStart, middle + 4, `${asked} / not measured`, 'fill="#777"')];
  const color = isMissed(aim) ? '#c40' : '#2a7';
  const [start, end] = [x(0), x(reached.median / atMost)];
  const [low = 0, high = 0] = reached.spread?.map((value) => x(value / atMost)) ?? [];
  return [
    label,
    `<rect x="${start}" y="${middle - 6}" width="${end - start}" height="12" fill="${color}"/>`,
    ...(high > low ? [`<path d="M${low} ${middle}H${high}" stroke="#000" stroke-width="2"/>`] : []),
    text(figuresStart, middle + 4, `${asked} / reached ${withUnit(reached.median, unit)}`, `fill="${color}"`),
  ];
}

/** A page of charts, one for each table with targets: each bar is a figure as a share of its target. */
export function drawFigures(): string {
  const parts: string[] = [];
  let y = 44;
  for (const [subject, own] of Map.groupBy(aims, ({ target }) => target.table)) {
    parts.push(text(16, y + 14, subject, 'font-size="14" font-weight="bold"'));
    y += lineHeight;
    const bottom = y + own.length * lineHeight;
    for (const [index, aim] of own.entries()) parts.push(...drawAim(aim, y + index * lineHeight));
    parts.push(`<path d="M${x(1)} ${y - 2}V${bottom}" stroke="#000" stroke-dasharray="3 2"/>`);
    y = bottom + 12;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 8}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${y + 8}" fill="#fff"/>`,
    text(
      16,
      24,
      'Each bar is a figure as a share of its target, the dashed line.',
      'font-size="15" font-weight="bold"',
    ),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}
