/** Hz that decoders play at, and granule positions count in, whatever went into the encoder (RFC 7845, 4). */
export const opusSampleRate = 48_000;

/** Facts of an Opus stream in Ogg (RFC 7845). */
export interface OpusHead {
  channels: number;
  /** samples at 48 kHz that the decoder is to drop at the start */
  preSkip: number;
  /** Hz, of what went into the encoder; decoders play at 48 kHz whatever it says */
  inputSampleRate: number;
}

/** The identification header (5.1), from the first bytes of the file. */
export function readOpusHead(head: Buffer): OpusHead | undefined {
  const start = head.indexOf('OpusHead', 0, 'latin1');
  if (start < 0 || start + 16 > head.length) return undefined;
  return {
    channels: head.readUInt8(start + 9),
    preSkip: head.readUInt16LE(start + 10),
    inputSampleRate: head.readUInt32LE(start + 12),
  };
}

/** Granule position (samples at 48 kHz, with the pre-skip) of the last page (RFC 3533, 6), from the last bytes of the file. */
export function lastGranulePosition(tail: Buffer): number | undefined {
  const page = tail.lastIndexOf('OggS', undefined, 'latin1');
  if (page < 0 || page + 14 > tail.length) return undefined;
  return Number(tail.readBigInt64LE(page + 6));
}
