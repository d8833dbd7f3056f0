import { wrapLine } from './wrap-text.ts';

interface TableOptions {
  /** Columns that are aligned to the right. */
  figures: ReadonlySet<number>;
  /** Characters of the terminal; undefined puts no limit on lines. */
  width: number | undefined;
}

const gap = '  ';
/** Characters before a last cell that has a line of its own. */
export const tableIndent = 4;

/**
 * Formats rows as a table whose first and last columns hold free text. If a line would be too long, a long first cell
 * gets its own line above the figures, and a long last cell lines below them.
 */
export function fitTable(rows: readonly (readonly string[])[], { figures, width = Infinity }: TableOptions): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widest = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = Array.from({ length: columns }, (_, column) => widest(column));
  const last = columns - 1;
  const shown = widths.flatMap((cell, column) => (cell > 0 ? [column] : []));
  const middle = shown.filter((column) => column > 0 && column < last);
  const middleWidth = middle.reduce((sum, column) => sum + gap.length + (widths[column] ?? 0), 0);
  widths[0] = Math.min(widths[0] ?? 0, Math.max(0, width - middleWidth));
  const align = (cell: string, column: number): string =>
    figures.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows
    .flatMap((row) => {
      const [first = '', final = ''] = [row[0], row[last]];
      const isLong = first.length > (widths[0] ?? 0);
      const figuresLine = [isLong ? '' : first, ...middle.map((column) => row[column] ?? '')]
        .map((cell, index) => align(cell, index === 0 ? 0 : (middle[index - 1] ?? 0)))
        .join(gap);
      const line = final === '' ? figuresLine.trimEnd() : `${figuresLine}${gap}${final}`;
      const below = wrapLine(final, width - tableIndent).map((text) => ' '.repeat(tableIndent) + text);
      const lines = line.length <= width ? [line] : [figuresLine.trimEnd(), ...below];
      return [...(isLong ? [first] : []), ...lines];
    })
    .join('\n');
}
