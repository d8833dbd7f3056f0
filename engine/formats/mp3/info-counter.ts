import { crc16 } from './crc16.ts';
import { findInfoWord, infoPlaces } from './info-frame.ts';
import { MalformedFile } from '../malformed-file.ts';

/** The tag's check sum covers this many bytes, which is right for MPEG-1 stereo only; a shorter frame counts as filled up with zeros. */
const tagCrcCovers = 190;

/** entries in the table of contents */
const contentsSize = 100;

/** how many places in the file are remembered for the table of contents at most */
const maxMarks = 400;

function requireInfoWord(frame: Buffer): number {
  const at = findInfoWord(frame);
  if (at === undefined) throw new MalformedFile('no Info frame');
  return at;
}

/** Counts frames as they are written, for the Info frame in front of them, as libavformat's mp3enc.c fills it in. */
export class InfoCounter {
  #frames = 0;
  /** bytes so far, the Info frame's own included */
  #bytes: number;
  #crc = 0;
  /** bytes up to each `#framesPerMark`-th frame; every second mark is dropped whenever there are too many */
  #marks: number[] = [];
  #framesPerMark = 1;
  #framesSinceMark = 0;

  constructor(infoFrameSize: number) {
    this.#bytes = infoFrameSize;
  }

  add(frame: Buffer): void {
    this.#frames += 1;
    this.#bytes += frame.length;
    this.#crc = crc16(this.#crc, frame);
    this.#framesSinceMark += 1;
    if (this.#framesSinceMark < this.#framesPerMark) return;
    this.#framesSinceMark = 0;
    this.#marks.push(this.#bytes);
    if (this.#marks.length < maxMarks) return;
    this.#marks = this.#marks.filter((_, index) => index % 2 === 1);
    this.#framesPerMark *= 2;
  }

  /**
   * The Info frame of what was counted: `first` is the first segment's own, with the encoder's name, delay and ReplayGain,
   * which do not depend on the frames that follow; `last` is that of the last segment, which knows the padding.
   */
  buildInfoFrame(first: Buffer, last: Buffer): Buffer {
    const info = Buffer.from(first);
    const start = requireInfoWord(info);
    info.writeUInt32BE(this.#frames, start + infoPlaces.frames);
    info.writeUInt32BE(this.#bytes, start + infoPlaces.bytes);
    info[start + infoPlaces.contents] = 0;
    for (let entry = 1; entry < contentsSize; entry += 1) {
      const mark = this.#marks[Math.floor((entry * this.#marks.length) / contentsSize)] ?? 0;
      info[start + infoPlaces.contents + entry] = Math.min(255, Math.floor((256 * mark) / this.#bytes));
    }
    // 12 bits of delay, which every segment has alike, and 12 of padding.
    const delayAndPadding = last.readUIntBE(requireInfoWord(last) + infoPlaces.delayAndPadding, 3);
    info.writeUIntBE(delayAndPadding, start + infoPlaces.delayAndPadding, 3);
    info.writeUInt32BE(this.#bytes, start + infoPlaces.musicBytes);
    info.writeUInt16BE(this.#crc, start + infoPlaces.musicCrc);
    info.writeUInt16BE(0, start + infoPlaces.tagCrc);
    const covered = Buffer.alloc(tagCrcCovers);
    info.copy(covered);
    info.writeUInt16BE(crc16(0, covered), start + infoPlaces.tagCrc);
    return info;
  }
}
