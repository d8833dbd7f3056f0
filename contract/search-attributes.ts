/** What Temporal's visibility can search and list runs by (docs/reference/workflows.md, "Search attributes"). */
export const searchAttributeTypes = {
  HoldfastState: 'Keyword',
  HoldfastPhase: 'Keyword',
  HoldfastOwner: 'Keyword',
  HoldfastFormats: 'KeywordList',
  HoldfastSource: 'Text',
  HoldfastWaitUntil: 'Datetime',
} as const;
export type SearchAttributeName = keyof typeof searchAttributeTypes;

/** Values of `HoldfastState`. */
export type SearchState = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

/** The types by their numbers in temporal.api.enums.v1.IndexedValueType, whose package the SDK does not pass on. */
const typeNames = ['Unspecified', 'Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList'] as const;

/** Types by name, as the server lists them. */
export type RegisteredTypes = Readonly<Record<string, number | null | undefined>>;

/** How a server stands to our search attributes. */
export interface SearchAttributeCheck {
  usable: SearchAttributeName[];
  missing: SearchAttributeName[];
  /** Registered as something else: a sentence for each. */
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
 * A text as the value of a search attribute. Temporal over PostgreSQL takes it for the literal of a tsvector (server 1.29.1): with a colon outside
 * of quotes the whole row is refused, and the run stays listed as it was, for ever. So the text stands in quotes, as one word for
 * PostgreSQL, and behind it the words by which all stores find it.
 */
export function searchableText(text: string): string {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return [`'${text.replaceAll(/['\\]/g, '$&$&')}'`, ...words].join(' ');
}

/** The text that a value was made of; values of former versions are the text. */
export function readSearchableText(value: string): string {
  const quoted = /^'((?:[^'\\]|''|\\\\)*)'(?: |$)/.exec(value)?.[1];
  return quoted?.replaceAll(/(['\\])\1/g, '$1') ?? value;
}
