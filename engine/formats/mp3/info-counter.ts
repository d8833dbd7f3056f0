import { crc16 } from './crc16.ts';
import { findInfoWord, infoPlaces } from './info-frame.ts';
import { MalformedFile } from '../malformed-file.ts';
import { readFrameHeader } from './frame.ts';

/** The tag's checksum covers this many bytes, which fits MPEG-1 stereo only. A shorter frame is padded with zeros. */
const tagCrcCovers = 190;

/** Entries in the table of contents. */
const contentsSize = 100;

/** Largest number of offsets that are kept for the table of contents. */
const maxMarks = 400;

function requireInfoWord(frame: Buffer): number {
  const at = findInfoWord(frame);
  if (at === undefined) throw new MalformedFile('no Info frame');
  return at;
}

/**
 * Counts frames as they are written, for the Info frame at the start, which it fills in like libavformat's mp3enc.c.
 */
export class InfoCounter {
  #frames = 0;
  /** Bytes so far, including the Info frame. */
  #bytes: number;
  #crc = 0;
  readonly #bitrates = new Set<number>();
  /** Byte count before every `#framesPerMark`-th frame. Every second mark is dropped when there are too many. */
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
    this.#bitrates.add(readFrameHeader(frame).bitrate);
    this.#framesSinceMark += 1;
    if (this.#framesSinceMark < this.#framesPerMark) return;
    this.#framesSinceMark = 0;
    this.#marks.push(this.#bytes);
    if (this.#marks.length < maxMarks) return;
    this.#marks = this.#marks.filter((_, index) => index % 2 === 1);
    this.#framesPerMark *= 2;
  }

  /**
   * Builds the Info frame for the counted frames. `first` is the first segment's own, with the encoder's name, delay
   * and ReplayGain, which do not depend on later frames. `last` is the last segment's, which holds the padding.
   */
  buildInfoFrame(first: Buffer, last: Buffer): Buffer {
    const info = Buffer.from(first);
    const start = requireInfoWord(info);
    info.write(this.#bitrates.size > 1 ? 'Xing' : 'Info', start, 'latin1');
    info.writeUInt32BE(this.#frames, start + infoPlaces.frames);
    info.writeUInt32BE(this.#bytes, start + infoPlaces.bytes);
    info[start + infoPlaces.contents] = 0;
    for (let entry = 1; entry < contentsSize; entry += 1) {
      const mark = this.#marks[Math.floor((entry * this.#marks.length) / contentsSize)] ?? 0;
      info[start + infoPlaces.contents + entry] = Math.min(255, Math.floor((256 * mark) / this.#bytes));
    }
    // 12 bits of delay, equal in every segment, and 12 bits of padding.
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
