/**
 * Attributes by which Temporal's visibility searches and lists runs (docs/reference/workflows.md, "Search attributes").
 */
export const searchAttributeTypes = {
  HoldfastState: 'Keyword',
  HoldfastPhase: 'Keyword',
  HoldfastOwner: 'Keyword',
  HoldfastFormats: 'KeywordList',
  HoldfastSource: 'Text',
  HoldfastWaitUntil: 'Datetime',
} as const;
export type SearchAttributeName = keyof typeof searchAttributeTypes;

export type SearchState = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

/** Type names by their numbers in temporal.api.enums.v1.IndexedValueType, whose package the SDK does not re-export. */
const typeNames = ['Unspecified', 'Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList'] as const;

/** Types by name, as the server lists them. */
export type RegisteredTypes = Readonly<Record<string, number | null | undefined>>;

/** Difference between a server's search attributes and ours. */
export interface SearchAttributeCheck {
  usable: SearchAttributeName[];
  missing: SearchAttributeName[];
  /** One sentence per attribute that is registered with another type. */
  mistyped: string[];
}

export function checkSearchAttributes(registered: RegisteredTypes): SearchAttributeCheck {
  const check: SearchAttributeCheck = { usable: [], missing: [], mistyped: [] };
  for (const name of Object.keys(searchAttributeTypes) as SearchAttributeName[]) {
    const type = registered[name];
    const wanted = searchAttributeTypes[name];
    if (type === undefined || type === null) check.missing.push(name);
    else if (typeNames[type] === wanted) check.usable.push(name);
    else check.mistyped.push(`${name} is of the type ${typeNames[type] ?? type} and not ${wanted}`);
  }
  return check;
}

export function searchAttributeTypeNumber(name: SearchAttributeName): number {
  return typeNames.indexOf(searchAttributeTypes[name]);
}

/**
 * Text as the value of a search attribute. Temporal over PostgreSQL parses it as a tsvector literal (server 1.29.1): a
 * colon outside quotes makes PostgreSQL reject the row, and the run's listing never changes again. So the value is the
 * quoted text, one word for PostgreSQL, followed by the words by which all stores find it.
 */
export function searchableText(text: string): string {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return [`'${text.replaceAll(/['\\]/g, '$&$&')}'`, ...words].join(' ');
}

/** The original text of a value; values of older versions are plain text. */
export function readSearchableText(value: string): string {
  const quoted = /^'((?:[^'\\]|''|\\\\)*)'(?: |$)/.exec(value)?.[1];
  return quoted?.replaceAll(/(['\\])\1/g, '$1') ?? value;
}
