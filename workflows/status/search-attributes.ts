import {
  defineSearchAttributeKey as key,
  type SearchAttributeUpdatePair,
  type TypedSearchAttributes,
} from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SearchAttributeName } from '../../contract/search-attributes.ts';
import type { SearchValues } from './search-values.ts';

/** Sets only the attributes that differ, because each update adds an event to the history. */
export function setSearchAttributes(values: SearchValues, usable: readonly SearchAttributeName[]): void {
  const changes = changedAttributes(workflowInfo().typedSearchAttributes, values, usable);
  if (changes.length > 0) upsertSearchAttributes(changes);
}

/** `current`: the run's attributes, including those set by its client or by the run that continued as this one. */
export function changedAttributes(
  current: TypedSearchAttributes,
  values: SearchValues,
  usable: readonly SearchAttributeName[],
): SearchAttributeUpdatePair[] {
  return attributePairs(values)
    .filter(({ key: { name } }) => (usable as readonly string[]).includes(name) && Object.hasOwn(values, name))
    .filter((pair) => JSON.stringify(current.get(pair.key) ?? null) !== JSON.stringify(pair.value));
}

function attributePairs(values: SearchValues): SearchAttributeUpdatePair[] {
  return [
    { key: key('HoldfastState', 'KEYWORD'), value: values.HoldfastState },
    { key: key('HoldfastPhase', 'KEYWORD'), value: values.HoldfastPhase },
    { key: key('HoldfastOwner', 'KEYWORD'), value: values.HoldfastOwner ?? null },
    { key: key('HoldfastFormats', 'KEYWORD_LIST'), value: values.HoldfastFormats ?? null },
    { key: key('HoldfastSource', 'TEXT'), value: values.HoldfastSource ?? null },
    { key: key('HoldfastWaitUntil', 'DATETIME'), value: values.HoldfastWaitUntil ?? null },
  ];
}
