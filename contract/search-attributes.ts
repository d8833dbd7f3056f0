/** What Temporal's visibility can search and list runs by (docs/contract.md, "Search attributes"). */
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

/** As the server lists them, by name. */
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
