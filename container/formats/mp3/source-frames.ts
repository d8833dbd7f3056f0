import { CannotJoin } from '../../encode/segmented/join/cannot-join.ts';
import { WindowedFile } from '../windowed-file.ts';
import { readFrameHeader, type FrameHeader } from './frame.ts';
import { id3HeaderSize, id3Size } from './id3.ts';
import { hasHeaderTag, readGapless } from './info-frame.ts';

/** bytes of an ID3v1 tag, the last of a file that has one */
const id3v1Size = 128;

/** Every so many frames one place is kept: an hour at 44.1 kHz has 138,000. */
const framesAMark = 50;

/**
 * Frames that are given to the decoder before the first that counts: the bit reservoir reaches back 511 bytes
 * (ISO/IEC 11172-3, 2.4.1.7), which at 8 kbit/s are 22 frames, and the filter bank one frame.
 */
const runInFrames = 40;

/** A part of the file, and which of the samples that are decoded from it are meant. */
export interface FrameRange {
  /** bytes: from, and to before */
  from: number;
  to: number;
  /** samples: from, and to before */
  startSample: number;
  endSample: number;
}

/** An mp3 source of which every byte belongs to a tag or to frames of one kind, so that it can be entered at each. */
export class SourceFrames {
  readonly #marks: readonly number[];
  readonly #end: number;
  readonly #frameSamples: number;
  /** samples that a decoder drops at the start, and those that the whole file then has */
  readonly #skip: number;
  readonly #samples: number;

  private constructor(marks: readonly number[], end: number, frameSamples: number, skip: number, samples: number) {
    this.#marks = marks;
    this.#end = end;
    this.#frameSamples = frameSamples;
    this.#skip = skip;
    this.#samples = samples;
  }

  /** Undefined for a file that is in any way not as simple as that. */
  static async read(path: string): Promise<SourceFrames | undefined> {
    const file = await WindowedFile.open(path);
    try {
      return await SourceFrames.#scan(file);
    } catch (error) {
      if (error instanceof CannotJoin) return undefined;
      throw error;
    } finally {
      await file.close();
    }
  }

  static async #scan(file: WindowedFile): Promise<SourceFrames | undefined> {
    const tail = await file.read(Math.max(0, file.size - id3v1Size), 3);
    const end = tail.toString('latin1') === 'TAG' ? file.size - id3v1Size : file.size;
    let at = id3Size(await file.read(0, id3HeaderSize));
    const first = readFrameHeader(await file.read(at, 4));
    const head = await file.read(at, first.size);
    const gapless = readGapless(head, first.mainDataAt);
    // A tag that we cannot read may be one that ffmpeg can.
    if (gapless === undefined && hasHeaderTag(head)) return undefined;
    if (gapless !== undefined) at += first.size;
    const marks: number[] = [];
    let count = 0;
    for (; at < end; count += 1) {
      const header = readFrameHeader(await file.read(at, 4));
      if (!isAlike(header, first)) return undefined;
      if (count % framesAMark === 0) marks.push(at);
      at += header.size;
    }
    if (at !== end || count === 0) return undefined;
    const frameSamples = first.isMpeg1 ? 1152 : 576;
    if (gapless === undefined) return new SourceFrames(marks, end, frameSamples, 0, count * frameSamples);
    if (gapless.frames !== count) return undefined;
    const samples = count * frameSamples - gapless.delay - gapless.padding;
    return new SourceFrames(marks, end, frameSamples, gapless.delay + decoderDelay, samples);
  }

  /** Where samples `from` to before `to` of the decoded source come from; undefined: to its end. */
  range(from: number, to = this.#samples): FrameRange {
    const firstFrame = Math.max(0, Math.floor((from + this.#skip) / this.#frameSamples) - runInFrames);
    const firstMark = Math.floor(firstFrame / framesAMark);
    const end = Math.min(to, this.#samples);
    const lastMark = Math.floor((end + this.#skip) / this.#frameSamples / framesAMark) + 1;
    const decodedFrom = firstMark * framesAMark * this.#frameSamples - this.#skip;
    return {
      from: this.#marks[firstMark] ?? 0,
      to: this.#marks[lastMark] ?? this.#end,
      startSample: from - decodedFrom,
      endSample: end - decodedFrom,
    };
  }
}

/** Samples that ffmpeg drops besides the encoder's delay (libavformat's mp3dec.c, mp3_parse_info_tag). */
const decoderDelay = 528 + 1;

function isAlike(a: FrameHeader, b: FrameHeader): boolean {
  return a.isMpeg1 === b.isMpeg1 && a.sampleRate === b.sampleRate && a.isMono === b.isMono;
}
