/** Writes 32-bit numbers, most significant byte first, as MP4 and FLAC do. */
export function figures(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
