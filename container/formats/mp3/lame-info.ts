/** The Info (or Xing) frame that encoders put before the first frame of sound. */
export interface LameInfo {
  /** frames that follow */
  frames: number;
  /** samples that the decoder is to drop at the start and at the end */
  encoderDelay: number;
  padding: number;
}

/** Bytes before the magic at most: frame header, check sum and side information. */
const longestPrelude = 4 + 2 + 32;

/**
 * Reads the frame from the first bytes of an mp3 behind its ID3v2 tag, whose text may say "Info" too. Layout: "Mp3 Info
 * Tag rev 1" of the LAME project: magic, flags, then frames (flag 1), bytes (flag 2), table of contents (flag 4), quality (flag 8), and LAME's extension with the two
 * 12-bit figures at its byte 21.
 */
export function readLameInfo(head: Buffer): LameInfo | undefined {
  const firstFrame = head.subarray(0, longestPrelude + 4).toString('latin1');
  const start = firstFrame.search(/Info|Xing/);
  if (start < 0 || start + 8 + 4 + 4 + 100 + 4 + 24 > head.length) return undefined;
  const flags = head.readUInt32BE(start + 4);
  if ((flags & 1) === 0) return undefined;
  const frames = head.readUInt32BE(start + 8);
  const extension = start + 8 + 4 + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  const both = head.readUIntBE(extension + 21, 3);
  return { frames, encoderDelay: both >> 12, padding: both & 0xfff };
}
