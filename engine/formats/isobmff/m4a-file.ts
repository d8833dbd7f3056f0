import { MalformedFile } from '../malformed-file.ts';
import { WindowedFile } from '../windowed-file.ts';
import { boxHeaderSize, walkBoxes } from './box.ts';
import { readSampleTable, type SampleTable } from './sample-table.ts';

/** Bytes around the frames: everything before moov, moov itself, and everything up to the first frame. */
interface Surroundings {
  before: Buffer;
  moov: Buffer;
  between: Buffer;
}

/** An m4a with one AAC track and its index before its frames, as ffmpeg writes it. */
export class M4aFile {
  readonly surroundings: Surroundings;
  readonly table: SampleTable;
  readonly #file: WindowedFile;
  /** Offset of each frame, and the end of the last frame. */
  readonly #offsets: readonly number[];

  private constructor(file: WindowedFile, surroundings: Surroundings) {
    this.#file = file;
    this.surroundings = surroundings;
    this.table = readSampleTable(surroundings.moov);
    const offsets = [this.table.dataAt];
    let end = this.table.dataAt;
    for (const size of this.table.sizes) offsets.push((end += size));
    this.#offsets = offsets;
    const { before, moov, between } = surroundings;
    if (before.length + moov.length + between.length !== this.table.dataAt || end !== file.size) {
      throw new MalformedFile('frames that do not lie one after the other at the end of the m4a');
    }
  }

  static async open(path: string): Promise<M4aFile> {
    return await WindowedFile.openFor(path, async (file) => {
      const places = new Map<string, { at: number; size: number }>();
      for await (const { type, at, size } of walkBoxes(file)) places.set(type, { at, size });
      const [moov, mdat] = [places.get('moov'), places.get('mdat')];
      if (moov === undefined || mdat === undefined) throw new MalformedFile('an m4a without moov or mdat');
      const copy = async (from: number, to: number): Promise<Buffer> => Buffer.from(await file.read(from, to - from));
      return new M4aFile(file, {
        before: await copy(0, moov.at),
        moov: await copy(moov.at, moov.at + moov.size),
        between: await copy(moov.at + moov.size, mdat.at + boxHeaderSize),
      });
    });
  }

  get frameCount(): number {
    return this.table.sizes.length;
  }

  /** Returns a view, valid until the next read. */
  async frame(index: number): Promise<Buffer> {
    const [from, to] = [this.#offsets[index], this.#offsets[index + 1]];
    if (from === undefined || to === undefined) throw new RangeError(`there is no frame ${index}`);
    return await this.#file.read(from, to - from);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
