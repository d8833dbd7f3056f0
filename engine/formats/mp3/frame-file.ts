import { MalformedFile } from '../malformed-file.ts';
import { WindowedFile } from '../windowed-file.ts';
import { readFrame, readFrameHeader, type Frame, type FrameHeader } from './frame.ts';
import { readMp3Head } from './file-head.ts';
import { findInfoWord } from './info-frame.ts';

/** An mp3 as ffmpeg writes it: ID3v2 tag, Info frame, and audio frames with random access. */
export class FrameFile {
  readonly tag: Buffer;
  readonly infoFrame: Buffer;
  /** Header of the Info frame. All frames have its rate and channels. */
  readonly header: FrameHeader;
  readonly #file: WindowedFile;
  /** Offset of each frame, and the end of the last frame. */
  readonly #offsets: readonly number[];

  private constructor(
    file: WindowedFile,
    { tag, infoFrame, header }: Pick<FrameFile, 'tag' | 'infoFrame' | 'header'>,
    offsets: readonly number[],
  ) {
    this.#file = file;
    this.tag = tag;
    this.infoFrame = infoFrame;
    this.header = header;
    this.#offsets = offsets;
  }

  static async open(path: string): Promise<FrameFile> {
    return await WindowedFile.openFor(path, async (file) => {
      const { tagSize, header, firstFrame, info } = await readMp3Head(file);
      if (info === undefined) throw new MalformedFile('no Info frame');
      const tag = Buffer.from(await file.read(0, tagSize));
      let at = tagSize + header.size;
      const offsets = [at];
      while (at < file.size) {
        const { size, sampleRate, isMono } = readFrameHeader(await file.read(at, 4));
        if (sampleRate !== header.sampleRate || isMono !== header.isMono)
          throw new MalformedFile('frames of two kinds');
        at += size;
        offsets.push(at);
      }
      if (at !== file.size) throw new MalformedFile('the last frame is cut off');
      return new FrameFile(file, { tag, infoFrame: firstFrame, header }, offsets);
    });
  }

  get frameCount(): number {
    return this.#offsets.length - 1;
  }

  /** True if its frames have several bitrates. */
  get isVariable(): boolean {
    const at = findInfoWord(this.infoFrame);
    return this.infoFrame.toString('latin1', at, (at ?? 0) + 4) === 'Xing';
  }

  /** Returns a view, valid until the next read. */
  async frame(index: number): Promise<Frame> {
    const from = this.#offsets[index];
    const to = this.#offsets[index + 1];
    if (from === undefined || to === undefined) throw new RangeError(`there is no frame ${index}`);
    return readFrame(await this.#file.read(from, to - from));
  }

  /** Returns frames `from` to `to` (exclusive) that exist. */
  async frames(from: number, to: number): Promise<Frame[]> {
    const found: Frame[] = [];
    for (let index = Math.max(0, from); index < Math.min(to, this.frameCount); index += 1) {
      const { bytes } = await this.frame(index);
      found.push(readFrame(Buffer.from(bytes)));
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
