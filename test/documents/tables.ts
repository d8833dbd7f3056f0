import { format } from 'prettier';
import { projectRoot } from '../support/project-files.ts';
import { figureTables } from './figure-tables.ts';
import { type Cell, type GeneratedTable, generatedTables } from './generated-tables.ts';

/** Stands in a cell that nobody has written yet. */
export const toWrite = 'TO WRITE';

const allTables = [...generatedTables, ...figureTables];

const end = '<!-- end of table -->';

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function lineOf(cells: readonly Cell[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Rows keep the order of the document; new rows follow them. */
function withTable(text: string, { document, name, columns, rows }: GeneratedTable): string {
  const begin = `<!-- table: ${name} -->`;
  const [before, rest] = text.split(begin);
  const after = rest?.slice(rest.indexOf(end));
  if (before === undefined || rest === undefined || after === undefined || !rest.includes(end)) {
    throw new Error(`${document} has lost the marks of its table "${name}"`);
  }
  const written = rest
    .slice(0, rest.indexOf(end))
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map(cellsOf);
  const places = new Map(written.map(([key = ''], place) => [key, place]));
  const placeOf = ([key = '']: Cell[]): number => places.get(key) ?? written.length;
  const filled = rows
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((row) => row.map((cell, column) => cell ?? written[placeOf(row)]?.[column] ?? toWrite));
  const lines = [lineOf(columns), lineOf(columns.map(() => '---')), ...filled.map(lineOf)];
  return [before + begin, lines.join('\n'), after].join('\n\n');
}

/** The document with the tables that the code has now, formatted as `npm run format` does. */
export async function withTables(document: string, text: string): Promise<string> {
  const tables = allTables.filter((table) => table.document === document);
  const filepath = projectRoot + document;
  return format(tables.reduce(withTable, text), { filepath, printWidth: 120, singleQuote: true });
}

export const documentsWithTables = [...new Set(allTables.map(({ document }) => document))];
