/**
 * Places in the Info frame before the first frame of audio, in bytes from the word Info or Xing ("Mp3 Info Tag rev 1" of the
 * LAME project), where it has all four optional fields, as those of LAME and of libavformat's mp3enc.c do.
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

/** The optional fields by their flags, with their bytes: count of frames, of bytes, table of contents, quality. */
const optionalFields = [
  { flag: 1, bytes: 4 },
  { flag: 2, bytes: 4 },
  { flag: 4, bytes: 100 },
  { flag: 8, bytes: 4 },
];
const framesFlag = 1;
const allFlags = 15;

/** Bytes before the word at most: frame header, check sum and side information. */
const longestPrelude = 4 + 2 + 32;

export interface InfoFrame {
  /** where in the frame the word Info or Xing begins */
  at: number;
  /** every optional field is there, and what lies behind them */
  isComplete: boolean;
  /** the first letters of the encoder's name */
  encoder: string;
  /** frames that follow */
  frames: number;
  /** samples that the decoder is to drop at the start and at the end */
  encoderDelay: number;
  padding: number;
}

/**
 * Where the word is in a first frame; undefined without it. Not looked for in the whole frame: what it holds, or a tag in
 * front of it, may have the same letters.
 */
export function findInfoWord(frame: Buffer): number | undefined {
  const at = frame.toString('latin1', 0, longestPrelude + 4).search(/Info|Xing/);
  return at < 0 ? undefined : at;
}

/** Reads it from the bytes that begin with the first frame of an mp3. Undefined where there is none, or no count of frames in it. */
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

/** Whether a first frame may be one of header data that ffmpeg knows, VBRI's too, whether we can read it or not. */
export function mayBeHeaderFrame(frame: Buffer): boolean {
  return ['Info', 'Xing', 'VBRI'].some((word) => frame.includes(word, 0, 'latin1'));
}
