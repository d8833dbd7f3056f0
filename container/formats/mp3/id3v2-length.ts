/** Bytes of the ID3v2 tag that the file begins with, 0 without one (ID3v2.4.0 structure, 3.1: the size is four times 7 bits). */
export function id3v2Length(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const sizeBytes = [...head.subarray(6, 10)];
  if (sizeBytes.some((byte) => byte > 0x7f)) return 0;
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + sizeBytes.reduce((size, byte) => size * 128 + byte, 0) + (hasFooter ? 10 : 0);
}
