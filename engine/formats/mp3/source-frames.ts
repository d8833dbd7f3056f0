import { MalformedFile } from '../malformed-file.ts';
import { WindowedFile } from '../windowed-file.ts';
import { mp3DecoderDelay } from './decoder-delay.ts';
import { readFrameHeader, type FrameHeader } from './frame.ts';
import { readMp3Head } from './file-head.ts';
import { mayBeHeaderFrame, trustedEncoders } from './info-frame.ts';

/** Bytes of an ID3v1 tag, which ends a file. */
const id3v1Size = 128;

/** One offset is kept per this many frames. An hour at 44.1 kHz has 138,000. */
const framesPerMark = 50;

/**
 * Frames that the decoder gets before the first requested one. The bit reservoir reaches back 511 bytes (ISO/IEC
 * 11172-3, 2.4.1.7), which is 22 frames at 8 kbit/s, and the filter bank reaches back one frame.
 */
const runInFrames = 40;

/** A byte range of the file, and the requested samples among those decoded from it. */
export interface FrameRange {
  /** Bytes; `to` is exclusive. */
  from: number;
  to: number;
  /** Samples; `endSample` is exclusive. */
  startSample: number;
  endSample: number;
}

/** An mp3 source whose bytes all belong to a tag or to frames of one kind, so that decoding can start at any frame. */
export class SourceFrames {
  readonly #marks: readonly number[];
  readonly #end: number;
  readonly #frameSamples: number;
  /** Samples that a decoder drops at the start; `#samples` remain. */
  readonly #skip: number;
  readonly #samples: number;

  private constructor(marks: readonly number[], end: number, frameSamples: number, skip: number, samples: number) {
    this.#marks = marks;
    this.#end = end;
    this.#frameSamples = frameSamples;
    this.#skip = skip;
    this.#samples = samples;
  }

  /** Returns undefined for a file that is not as simple as that. */
  static async read(path: string): Promise<SourceFrames | undefined> {
    try {
      return await WindowedFile.use(path, SourceFrames.#scan);
    } catch (error) {
      if (error instanceof MalformedFile) return undefined;
      throw error;
    }
  }

  static async #scan(file: WindowedFile): Promise<SourceFrames | undefined> {
    const tail = await file.read(Math.max(0, file.size - id3v1Size), 3);
    const end = tail.toString('latin1') === 'TAG' ? file.size - id3v1Size : file.size;
    const { tagSize, firstFrame, header: first, info } = await readMp3Head(file);
    const isTrusted = info !== undefined && trustedEncoders.has(info.encoder);
    // ffmpeg may read header data that this reader cannot.
    if (!isTrusted && mayBeHeaderFrame(firstFrame)) return undefined;
    let at = isTrusted ? tagSize + first.size : tagSize;
    const marks: number[] = [];
    let count = 0;
    for (; at < end; count += 1) {
      const header = readFrameHeader(await file.read(at, 4));
      if (!isSameKind(header, first)) return undefined;
      if (count % framesPerMark === 0) marks.push(at);
      at += header.size;
    }
    if (at !== end || count === 0) return undefined;
    if (!isTrusted) return new SourceFrames(marks, end, first.samples, 0, count * first.samples);
    if (info.frames !== count) return undefined;
    const samples = count * first.samples - info.encoderDelay - info.padding;
    return new SourceFrames(marks, end, first.samples, info.encoderDelay + mp3DecoderDelay, samples);
  }

  /** Byte range that samples `from` to `to` (exclusive) of the decoded source come from; undefined `to`: to its end. */
  range(from: number, to = this.#samples): FrameRange {
    const firstFrame = Math.max(0, Math.floor((from + this.#skip) / this.#frameSamples) - runInFrames);
    const firstMark = Math.floor(firstFrame / framesPerMark);
    const end = Math.min(to, this.#samples);
    const lastMark = Math.floor((end + this.#skip) / this.#frameSamples / framesPerMark) + 1;
    const decodedFrom = firstMark * framesPerMark * this.#frameSamples - this.#skip;
    return {
      from: this.#marks[firstMark] ?? 0,
      to: this.#marks[lastMark] ?? this.#end,
      startSample: from - decodedFrom,
      endSample: end - decodedFrom,
    };
  }
}

function isSameKind(a: FrameHeader, b: FrameHeader): boolean {
  return a.isMpeg1 === b.isMpeg1 && a.sampleRate === b.sampleRate && a.isMono === b.isMono;
}
