/** The STREAMINFO block of a FLAC file (RFC 9639, 8.2). */
export interface FlacStreamInfo {
  /** Samples per channel in every block except the last; undefined if it varies. */
  blockSize: number | undefined;
  /** Samples per channel. */
  totalSamples: number;
}

export function readFlacStreamInfo(head: Buffer): FlacStreamInfo | undefined {
  if (head.toString('latin1', 0, 4) !== 'fLaC' || head.length < 26) return undefined;
  const smallest = head.readUInt16BE(8);
  const largest = head.readUInt16BE(10);
  // The field has 36 bits and starts in the lower half of byte 21.
  const totalSamples = (head.readUInt8(21) & 0x0f) * 2 ** 32 + head.readUInt32BE(22);
  return { blockSize: smallest === largest ? smallest : undefined, totalSamples };
}
