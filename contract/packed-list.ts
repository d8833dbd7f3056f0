/**
 * A long list as JSON outside V8's heap. The heap would grow with each large request, and a thread can hand over the list
 * without a copy.
 */
export interface PackedList<Item> {
  bytes: Uint8Array<ArrayBuffer>;
  /** End of each item in `bytes`. */
  ends: Uint32Array<ArrayBuffer>;
  /** Never set; ties the list to its type. */
  item?: Item;
}

export function packList<Item>(items: readonly Item[]): PackedList<Item> {
  const encoder = new TextEncoder();
  const parts = items.map((item) => encoder.encode(JSON.stringify(item)));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  const ends = new Uint32Array(parts.length);
  let end = 0;
  for (const [index, part] of parts.entries()) {
    bytes.set(part, end);
    end += part.length;
    ends[index] = end;
  }
  return { bytes, ends };
}

export function packedItem<Item>({ bytes, ends }: PackedList<Item>, index: number): Item | undefined {
  const end = ends[index];
  if (end === undefined) return undefined;
  return JSON.parse(new TextDecoder().decode(bytes.subarray(ends[index - 1] ?? 0, end))) as Item;
}

export function* packedItems<Item>(list: PackedList<Item>): Generator<Item> {
  for (let index = 0; index < list.ends.length; index += 1) yield packedItem(list, index) as Item;
}
