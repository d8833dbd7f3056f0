/** Reads `count` bits (at most 32) from bit `at`, most significant bit first, as MPEG and AAC write them. */
export function readBits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let bit = at; bit < at + count; bit += 1) {
    value = value * 2 + (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
  }
  return value;
}
