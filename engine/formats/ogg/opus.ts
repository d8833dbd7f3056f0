/** Hz at which decoders play and granule positions count, regardless of the encoder's input (RFC 7845, 4). */
export const opusSampleRate = 48_000;

/** Samples at 48 kHz. libopus writes packets of 20 ms. */
export const opusPacketSamples = 960;

/** Facts of an Opus stream in Ogg (RFC 7845). */
export interface OpusHead {
  channels: number;
  /** Samples at 48 kHz that the decoder drops at the start. */
  preSkip: number;
  /** Hz of the encoder's input. Decoders play at 48 kHz regardless. */
  inputSampleRate: number;
}

/** Reads the identification header (5.1) from the first bytes of the file. */
export function readOpusHead(head: Buffer): OpusHead | undefined {
  const start = head.indexOf('OpusHead', 0, 'latin1');
  if (start < 0 || start + 16 > head.length) return undefined;
  return {
    channels: head.readUInt8(start + 9),
    preSkip: head.readUInt16LE(start + 10),
    inputSampleRate: head.readUInt32LE(start + 12),
  };
}

/**
 * Granule position of the last page (RFC 3533, 6), from the last bytes of the file. It counts samples at 48 kHz,
 * including the pre-skip.
 */
export function lastGranulePosition(tail: Buffer): number | undefined {
  const page = tail.lastIndexOf('OggS', undefined, 'latin1');
  if (page < 0 || page + 14 > tail.length) return undefined;
  return Number(tail.readBigInt64LE(page + 6));
}
