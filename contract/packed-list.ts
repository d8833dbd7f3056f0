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

/** Address space, of which only the packed bytes are used; far more than the largest request needs. */
const mostBytes = 256 * 1024 ** 2;

/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const mostBytesPerUnit = 3;

export function packList<Item>(items: readonly Item[]): PackedList<Item> {
  const encoder = new TextEncoder();
  // A resizable buffer grows without a copy, and its memory goes back to the system at once.
  const buffer = new ArrayBuffer(0, { maxByteLength: mostBytes });
  const bytes = new Uint8Array(buffer);
  const ends = new Uint32Array(items.length);
  let end = 0;
  for (const [index, item] of items.entries()) {
    const text = JSON.stringify(item);
    const needed = end + text.length * mostBytesPerUnit;
    if (needed > buffer.byteLength) buffer.resize(needed + spareBytes);
    end += encoder.encodeInto(text, bytes.subarray(end)).written;
    ends[index] = end;
  }
  buffer.resize(end);
  return { bytes, ends };
}

/** Spares a call for each item. */
const spareBytes = 1024 ** 2;

export function packedItem<Item>({ bytes, ends }: PackedList<Item>, index: number): Item | undefined {
  const end = ends[index];
  if (end === undefined) return undefined;
  return JSON.parse(new TextDecoder().decode(bytes.subarray(ends[index - 1] ?? 0, end))) as Item;
}

export function* packedItems<Item>(list: PackedList<Item>): Generator<Item> {
  for (let index = 0; index < list.ends.length; index += 1) yield packedItem(list, index) as Item;
}
