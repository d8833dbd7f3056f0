import { crc16 } from './crc16.ts';

/**
 * The Info frame before the first frame of sound, as libavformat's mp3enc.c fills it in ("Mp3 Info Tag rev 1" of the
 * LAME project; places are bytes from the word Info). What does not depend on the frames that follow (the encoder's
 * name and delay, ReplayGain) is taken over from a segment's own.
 */
const places = {
  frames: 8,
  bytes: 12,
  contents: 16,
  encoder: 120,
  delayAndPadding: 141,
  musicBytes: 148,
  musicCrc: 152,
  tagCrc: 154,
};

/** The tag's check sum is over this many bytes of the frame (zeros where it ends before), which suits MPEG-1 stereo only. */
const tagCrcCovers = 190;

/** entries in the table of contents */
const contentsSize = 100;

/** how many places in the file are remembered for the table of contents at most */
const maxMarks = 400;

function startOf(info: Buffer): number {
  return Math.max(info.indexOf('Info', 0, 'latin1'), info.indexOf('Xing', 0, 'latin1'));
}

/** Whether this is one with all the fields that we fill in. */
export function isInfoFrame(frame: Buffer, mainDataAt: number): boolean {
  const start = startOf(frame);
  // Flags 1 + 2 + 4 + 8: all four fields are there.
  return start === mainDataAt && start + places.tagCrc + 2 <= frame.length && frame.readUInt32BE(start + 4) === 15;
}

/** Whether this is a frame of header data that ffmpeg knows, VBRI's too, which is always at one place. */
export function hasHeaderTag(frame: Buffer): boolean {
  return startOf(frame) >= 0 || frame.includes('VBRI', 0, 'latin1');
}

/** What a source's own Info frame says of its length. */
export interface Gapless {
  frames: number;
  /** samples at the start and the end that are not sound */
  delay: number;
  padding: number;
}

/** Undefined where it is no such frame, or that of an encoder from whom ffmpeg does not take it (mp3dec.c, mp3_parse_info_tag). */
export function readGapless(frame: Buffer, mainDataAt: number): Gapless | undefined {
  if (!isInfoFrame(frame, mainDataAt)) return undefined;
  const start = startOf(frame);
  const encoder = frame.toString('latin1', start + places.encoder, start + places.encoder + 4);
  if (!['LAME', 'Lavf', 'Lavc'].includes(encoder)) return undefined;
  const delayAndPadding = frame.readUIntBE(start + places.delayAndPadding, 3);
  return {
    frames: frame.readUInt32BE(start + places.frames),
    delay: delayAndPadding >> 12,
    padding: delayAndPadding & 0xfff,
  };
}

/** Counts frames as they are written. */
export class InfoCounter {
  frames = 0;
  /** bytes so far, the Info frame's own included */
  #bytes: number;
  #crc = 0;
  /** bytes up to each `#framesAMark`-th frame; every second mark is dropped whenever there are too many */
  #marks: number[] = [];
  #framesAMark = 1;
  #framesSinceMark = 0;

  constructor(infoFrameSize: number) {
    this.#bytes = infoFrameSize;
  }

  add(frame: Buffer): void {
    this.frames += 1;
    this.#bytes += frame.length;
    this.#crc = crc16(this.#crc, frame);
    this.#framesSinceMark += 1;
    if (this.#framesSinceMark < this.#framesAMark) return;
    this.#framesSinceMark = 0;
    this.#marks.push(this.#bytes);
    if (this.#marks.length < maxMarks) return;
    this.#marks = this.#marks.filter((_, index) => index % 2 === 1);
    this.#framesAMark *= 2;
  }

  /** The finished frame: `first` is the first segment's own, `last` that of the last segment, which knows the padding. */
  fill(first: Buffer, last: Buffer): Buffer {
    const info = Buffer.from(first);
    const start = startOf(info);
    info.writeUInt32BE(this.frames, start + places.frames);
    info.writeUInt32BE(this.#bytes, start + places.bytes);
    info[start + places.contents] = 0;
    for (let entry = 1; entry < contentsSize; entry += 1) {
      const mark = this.#marks[Math.floor((entry * this.#marks.length) / contentsSize)] ?? 0;
      info[start + places.contents + entry] = Math.min(255, Math.floor((256 * mark) / this.#bytes));
    }
    // 12 bits of delay, which every segment has alike, and 12 of padding.
    last.copy(info, start + places.delayAndPadding, startOf(last) + places.delayAndPadding, startOf(last) + 144);
    info.writeUInt32BE(this.#bytes, start + places.musicBytes);
    info.writeUInt16BE(this.#crc, start + places.musicCrc);
    info.writeUInt16BE(0, start + places.tagCrc);
    const covered = Buffer.alloc(tagCrcCovers);
    info.copy(covered);
    info.writeUInt16BE(crc16(0, covered), start + places.tagCrc);
    return info;
  }
}
