/** Facts that several items of a list share, and the items' indexes: "0-41,57". */
export interface ItemGroup<Item> {
  indexes: string;
  item: Item;
}

/** Ranges of ascending indexes. */
export function indexRanges(indexes: readonly number[]): { first: number; last: number }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const index of indexes) {
    const range = ranges.at(-1);
    if (range?.last === index - 1) range.last = index;
    else ranges.push({ first: index, last: index });
  }
  return ranges;
}

/** Ascending indexes as text; a range of thousands is as short as one of two. */
export function formatIndexes(indexes: readonly number[]): string {
  const ranges = indexRanges(indexes);
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

export function parseIndexes(text: string): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

/** Groups equal items. */
export function groupItems<Item>(items: readonly Item[]): ItemGroup<Item>[] {
  const groups = new Map<string, { item: Item; indexes: number[] }>();
  for (const [index, item] of items.entries()) {
    const key = JSON.stringify(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { item, indexes: [index] });
    else group.indexes.push(index);
  }
  return [...groups.values()].map(({ item, indexes }) => ({ item, indexes: formatIndexes(indexes) }));
}

export function ungroupItems<Item>(groups: readonly ItemGroup<Item>[]): Item[] {
  const items: Item[] = [];
  for (const { item, indexes } of groups) for (const index of parseIndexes(indexes)) items[index] = item;
  return items;
}
