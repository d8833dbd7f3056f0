/** Bytes of an ID3v2 header, and of the footer if there is one. */
export const id3v2HeaderSize = 10;

const footerFlag = 0x10;

/**
 * Size in bytes of the ID3v2 tag at the start of a file, from its first ten bytes (ID3v2.4.0 structure, 3.1); 0 without
 * a tag. The size is "synchsafe": four times 7 bits. A larger byte is not a size; ffmpeg ignores such a tag too.
 */
export function id3v2Size(head: Buffer): number {
  if (head.length < id3v2HeaderSize || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const sizeBytes = [...head.subarray(6, id3v2HeaderSize)];
  if (sizeBytes.some((byte) => byte > 0x7f)) return 0;
  const footerSize = ((head[5] ?? 0) & footerFlag) === 0 ? 0 : id3v2HeaderSize;
  return id3v2HeaderSize + sizeBytes.reduce((size, byte) => size * 128 + byte, 0) + footerSize;
}
