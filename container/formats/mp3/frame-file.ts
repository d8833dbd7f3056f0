import { CannotJoin } from '../../encode/segmented/join/cannot-join.ts';
import { WindowedFile } from '../windowed-file.ts';
import { readFrame, readFrameHeader, type Frame } from './frame.ts';
import { id3HeaderSize, id3Size } from './id3.ts';
import { isInfoFrame } from './info-frame.ts';

/** An mp3 as ffmpeg writes it: ID3v2 tag, Info frame, frames of sound; with any of the latter at hand. */
export class FrameFile {
  readonly id3: Buffer;
  readonly info: Buffer;
  readonly #file: WindowedFile;
  /** where each frame begins, and the end of the last */
  readonly #offsets: readonly number[];

  private constructor(file: WindowedFile, id3: Buffer, info: Buffer, offsets: readonly number[]) {
    this.#file = file;
    this.id3 = id3;
    this.info = info;
    this.#offsets = offsets;
  }

  static async open(path: string): Promise<FrameFile> {
    const file = await WindowedFile.open(path);
    try {
      const id3 = Buffer.from(await file.read(0, id3Size(await file.read(0, id3HeaderSize))));
      const { size, mainDataAt } = readFrameHeader(await file.read(id3.length, 4));
      const info = Buffer.from(await file.read(id3.length, size));
      if (!isInfoFrame(info, mainDataAt)) throw new CannotJoin('an Info frame was expected');
      const offsets = [id3.length + size];
      for (let at = id3.length + size; at < file.size;) {
        at += readFrameHeader(await file.read(at, 4)).size;
        offsets.push(at);
      }
      if (offsets.at(-1) !== file.size) throw new CannotJoin('the last frame is cut off');
      return new FrameFile(file, id3, info, offsets);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get frameCount(): number {
    return this.#offsets.length - 1;
  }

  /** A view until the next read. */
  async frame(index: number): Promise<Frame> {
    const from = this.#offsets[index];
    const to = this.#offsets[index + 1];
    if (from === undefined || to === undefined) throw new CannotJoin(`there is no frame ${index}`);
    return readFrame(await this.#file.read(from, to - from));
  }

  /** Frames `from` to before `to`, as far as there are any. */
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
