/**
 * Offsets in the Info frame, in bytes from the word Info or Xing ("Mp3 Info Tag rev 1" of the LAME project). They hold
 * if all four optional fields are present, as LAME and libavformat's mp3enc.c write them.
 */
export const infoPlaces = {
  flags: 4,
  frames: 8,
  bytes: 12,
  contents: 16,
  encoder: 120,
  delayAndPadding: 141,
  musicBytes: 148,
  musicCrc: 152,
  tagCrc: 154,
  end: 156,
} as const;

/** Optional fields by flag, with their sizes: frame count, byte count, table of contents, quality. */
const optionalFields = [
  { flag: 1, bytes: 4 },
  { flag: 2, bytes: 4 },
  { flag: 4, bytes: 100 },
  { flag: 8, bytes: 4 },
];
const framesFlag = 1;
const allFlags = 15;

/** Encoders that ffmpeg trusts (mp3dec.c, mp3_parse_info_tag). Others also count bytes of tags, or count otherwise. */
export const trustedEncoders: ReadonlySet<string> = new Set(['LAME', 'Lavf', 'Lavc']);

/** Most bytes before the word: frame header, checksum and side information. */
const longestPrelude = 4 + 2 + 32;

export interface InfoFrame {
  /** Offset in the frame of the word Info or Xing. */
  at: number;
  /** True if every optional field and the encoder's data after them are present. */
  isComplete: boolean;
  /** First letters of the encoder's name. */
  encoder: string;
  /** Number of frames that follow. */
  frames: number;
  /** Samples that the decoder drops at the start. */
  encoderDelay: number;
  /** Samples that the decoder drops at the end. */
  padding: number;
}

/**
 * Finds the word in a first frame. The rest of the frame is not searched, because its data or a tag before it may
 * contain the same letters.
 */
export function findInfoWord(frame: Buffer): number | undefined {
  const at = frame.toString('latin1', 0, longestPrelude + 4).search(/Info|Xing/);
  return at < 0 ? undefined : at;
}

/**
 * Reads the Info frame from the bytes that start with the first frame. Returns undefined if there is none, or if it
 * lacks a frame count.
 */
export function readInfoFrame(frame: Buffer): InfoFrame | undefined {
  const at = findInfoWord(frame);
  if (at === undefined || at + infoPlaces.delayAndPadding + 3 > frame.length) return undefined;
  const flags = frame.readUInt32BE(at + infoPlaces.flags);
  if ((flags & framesFlag) === 0) return undefined;
  const missing = optionalFields.filter(({ flag }) => (flags & flag) === 0).reduce((sum, { bytes }) => sum + bytes, 0);
  const delayAndPadding = frame.readUIntBE(at + infoPlaces.delayAndPadding - missing, 3);
  const encoderAt = at + infoPlaces.encoder - missing;
  return {
    at,
    isComplete: flags === allFlags && at + infoPlaces.end <= frame.length,
    encoder: frame.toString('latin1', encoderAt, encoderAt + 4),
    frames: frame.readUInt32BE(at + infoPlaces.frames),
    encoderDelay: delayAndPadding >> 12,
    padding: delayAndPadding & 0xfff,
  };
}

/** True if a first frame may hold header data that ffmpeg knows, VBRI included, whether or not this reader knows it. */
export function mayBeHeaderFrame(frame: Buffer): boolean {
  return ['Info', 'Xing', 'VBRI'].some((word) => frame.includes(word, 0, 'latin1'));
}
