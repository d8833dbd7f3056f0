/** bytes of an ID3v2 header */
export const id3HeaderSize = 10;

/** Bytes of the ID3v2 tag at the start of a file, 0 where there is none (id3.org, ID3v2.4 structure, 3.1: "synchsafe" size). */
export function id3Size(head: Buffer): number {
  if (head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const [a = 0, b = 0, c = 0, d = 0] = head.subarray(6, id3HeaderSize);
  return id3HeaderSize + a * 2 ** 21 + b * 2 ** 14 + c * 2 ** 7 + d;
}
