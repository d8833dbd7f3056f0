/** Bytes of a file; `end` is the first byte after them. */
export interface ByteRange {
  from: number;
  end: number;
}

/** Joins ranges that overlap or have at most `gap` bytes between them. The result is in order. */
export function joinRanges(ranges: readonly ByteRange[], gap = 0): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const { from, end } of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from - last.end <= gap) last.end = Math.max(last.end, end);
    else if (from < end) joined.push({ from, end });
  }
  return joined;
}

/** Parts of `wanted` that are not in `present`. Both are in order and without overlaps. */
export function missingRanges(wanted: readonly ByteRange[], present: readonly ByteRange[]): ByteRange[] {
  return wanted.flatMap(({ from, end }) => {
    const missing: ByteRange[] = [];
    let at = from;
    for (const range of present) {
      if (range.end <= at || range.from >= end) continue;
      if (range.from > at) missing.push({ from: at, end: range.from });
      at = range.end;
    }
    return at < end ? [...missing, { from: at, end }] : missing;
  });
}

/** Divides ranges into parts of at most `bytes`. */
export function divideRanges(ranges: readonly ByteRange[], bytes: number): ByteRange[] {
  return ranges.flatMap(({ from, end }) =>
    Array.from({ length: Math.ceil((end - from) / bytes) }, (_, index) => ({
      from: from + index * bytes,
      end: Math.min(end, from + (index + 1) * bytes),
    })),
  );
}
