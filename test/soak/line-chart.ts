/**
 * Draws charts one below the other over one time axis, as plain SVG: a changed figure is a small change of the text.
 */

export interface ChartLine {
  name: string;
  color: string;
  /** Fills the area below the line. */
  isArea?: boolean;
  points: readonly (readonly [x: number, y: number])[];
}

export interface ChartStrip {
  title: string;
  lines: readonly ChartLine[];
  /** Top of the scale; by default a round number above all values. */
  top?: number;
}

interface ChartOptions {
  title: string;
  from: number;
  to: number;
  ticks: readonly (readonly [x: number, label: string])[];
}

const [width, left, right, stripHeight, gap, head, foot] = [900, 52, 16, 96, 38, 34, 26];

/** Words in a chart; `more` has further attributes. */
export const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x}" y="${y}" ${more}>${escape(words)}</text>`;

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Rounds up to a round number that is at least every value. */
export function chartTop(values: readonly number[]): number {
  const most = Math.max(...values, 0);
  if (most === 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5].find((step) => step * unit >= most) ?? 10) * unit;
}

export function drawChart(strips: readonly ChartStrip[], { title, from, to, ticks }: ChartOptions): string {
  const height = head + strips.length * (stripHeight + gap) + foot;
  const x = (value: number): number => round(left + ((value - from) / (to - from)) * (width - left - right));
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(left, 20, title, 'font-size="15" font-weight="bold"'),
  ];
  for (const [index, strip] of strips.entries()) {
    const bottom = head + index * (stripHeight + gap) + gap + stripHeight - 12;
    parts.push(...drawStrip(strip, bottom, x), ...ticks.map(([at]) => tickLine(x(at), bottom)));
  }
  const labelsAt = head + strips.length * (stripHeight + gap) + 6;
  parts.push(...ticks.map(([at, label]) => text(x(at), labelsAt, label, 'text-anchor="middle"')), '</svg>', '');
  return parts.join('\n');
}

/** Leaves out points inside a level line. */
function corners(points: ChartLine['points']): ChartLine['points'] {
  return points.filter(([, y], index) => y !== points[index - 1]?.[1] || y !== points[index + 1]?.[1]);
}

function drawStrip(strip: ChartStrip, bottom: number, x: (value: number) => number): string[] {
  const { title, lines } = strip;
  const top = strip.top ?? chartTop(lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const y = (value: number): number => round(bottom - (value / top) * stripHeight);
  const parts = [text(left, bottom - stripHeight - 8, title, 'font-weight="bold"')];
  for (const [index, { name, color }] of lines.entries()) {
    parts.push(text(width - right - 110 * (lines.length - index), bottom - stripHeight - 8, name, `fill="${color}"`));
  }
  for (const { points, color, isArea } of lines) {
    const path = corners(points)
      .map(([at, value]) => `${x(at)},${y(value)}`)
      .join(' ');
    const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
    parts.push(
      isArea === true
        ? `<polygon points="${x(first)},${bottom} ${path} ${x(last)},${bottom}" fill="${color}" fill-opacity="0.45"/>`
        : `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
    );
  }
  for (const value of [0, top / 2, top]) {
    parts.push(text(left - 6, y(value) + 4, String(value), 'text-anchor="end" fill="#555"'));
  }
  return parts;
}

function tickLine(x: number, bottom: number): string {
  return `<line x1="${x}" y1="${bottom - stripHeight}" x2="${x}" y2="${bottom}" stroke="#000" stroke-opacity="0.12"/>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
