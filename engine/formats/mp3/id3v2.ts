/** bytes of the header of an ID3v2 tag, and of its footer where it has one */
export const id3v2HeaderSize = 10;

const footerFlag = 0x10;

/**
 * Bytes of the ID3v2 tag that a file begins with, by its first ten bytes (ID3v2.4.0 structure, 3.1); 0 without one. The
 * size is "synchsafe": four times 7 bits. A byte of more than that is not a size, and the file has no tag for ffmpeg either.
 */
export function id3v2Size(head: Buffer): number {
  if (head.length < id3v2HeaderSize || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const sizeBytes = [...head.subarray(6, id3v2HeaderSize)];
  if (sizeBytes.some((byte) => byte > 0x7f)) return 0;
  const footerSize = ((head[5] ?? 0) & footerFlag) === 0 ? 0 : id3v2HeaderSize;
  return id3v2HeaderSize + sizeBytes.reduce((size, byte) => size * 128 + byte, 0) + footerSize;
}
