import type { UsageRow, UsageView } from '../contract/server/usage.ts';

type Column = Exclude<keyof UsageRow, 'cost'>;

const columns: readonly Column[] = [
  'day',
  'owner',
  'runs',
  'unmeasured',
  'jobSeconds',
  'cpuSeconds',
  'bytesIn',
  'bytesOut',
  'providerCalls',
  'providerAudioSeconds',
];

/** The rows as CSV (RFC 4180), with the cost and its currency last if there are prices. */
export function usageCsv({ rows, currency }: UsageView): string {
  const priced = currency === undefined ? [] : ['cost', 'currency'];
  const lines = rows.map((row) => [
    ...columns.map((column) => row[column] ?? ''),
    ...(currency === undefined ? [] : [row.cost ?? '', currency]),
  ]);
  return [[...columns, ...priced], ...lines].map((cells) => `${cells.map(quoteCell).join(',')}\r\n`).join('');
}

/** A spreadsheet would run a text that starts like a formula, so such a text gets an apostrophe. */
function quoteCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
