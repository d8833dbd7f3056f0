import { isRecord } from './unknown-values.ts';

/** Replacer for `JSON.stringify`: equal values give equal text, whatever the order of their fields. */
export function sortFields(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
