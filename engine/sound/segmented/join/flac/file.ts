import { MalformedFile } from '../../../../formats/malformed-file.ts';
import { WindowedFile } from '../../../../formats/windowed-file.ts';
import { mostHeaderBytes, readFlacFrameHeader, renumberFlacHeader, syncCode } from './frame-header.ts';
import { crcAfterChange } from './frame-crc.ts';

/** Places in STREAMINFO, which follows the first eight bytes of a file (RFC 9639, 8.2). */
const places = { leastFrame: 12, mostFrame: 15, samples: 21, digest: 26, end: 42 } as const;

const magicBytes = 4;
const blockHeaderBytes = 4;
const crcBytes = 2;

/** Bytes that are searched at a time. */
const searchBytes = 64 * 1024;

/** A FLAC file of fixed blocks, as ffmpeg writes it: metadata, and frames with random access. */
export class FlacFile {
  /** All bytes before the first frame. */
  readonly head: Buffer;
  readonly #file: WindowedFile;
  /** Offset of each frame, and the end of the last frame. */
  readonly #offsets: readonly number[];

  private constructor(file: WindowedFile, head: Buffer, offsets: readonly number[]) {
    this.#file = file;
    this.head = head;
    this.#offsets = offsets;
  }

  static async open(path: string): Promise<FlacFile> {
    return await WindowedFile.openFor(path, async (file) => {
      const head = await readHead(file);
      return new FlacFile(file, head, await findFrames(file, head));
    });
  }

  get frameCount(): number {
    return this.#offsets.length - 1;
  }

  /** Bytes of a frame with another number, in consecutive pieces. The first ones are views, valid until the next read. */
  async frame(index: number, number: number): Promise<[header: Buffer, body: Buffer, crc: Buffer]> {
    const [from, to] = [this.#offsets[index], this.#offsets[index + 1]];
    if (from === undefined || to === undefined) throw new RangeError(`there is no frame ${index}`);
    const bytes = await this.#file.read(from, to - from);
    const header = readFlacFrameHeader(bytes);
    if (header === undefined) throw new MalformedFile('a FLAC frame without a header');
    const old = bytes.subarray(0, header.bytes);
    const body = bytes.subarray(header.bytes, -crcBytes);
    const crc = bytes.subarray(-crcBytes);
    if (number === header.number) return [old, body, crc];
    const renumbered = renumberFlacHeader(old, header.afterNumber, number);
    const changed = Buffer.alloc(crcBytes);
    changed.writeUInt16BE(crcAfterChange(crc.readUInt16BE(), old, renumbered, body.length));
    return [renumbered, body, changed];
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

async function readHead(file: WindowedFile): Promise<Buffer> {
  if ((await file.read(0, magicBytes)).toString('latin1') !== 'fLaC') throw new MalformedFile('no FLAC file');
  let at = magicBytes;
  for (let isLast = false; !isLast;) {
    const header = await file.read(at, blockHeaderBytes);
    if (header.length < blockHeaderBytes) throw new MalformedFile('a FLAC file without frames');
    isLast = ((header[0] ?? 0) & 0x80) !== 0;
    at += blockHeaderBytes + header.readUIntBE(1, 3);
  }
  if (at < places.end) throw new MalformedFile('a FLAC file without STREAMINFO');
  return Buffer.from(await file.read(0, at));
}

/**
 * Frames do not state their length. The next one begins at a sync code whose header has the next number and the right
 * CRC.
 */
async function findFrames(file: WindowedFile, head: Buffer): Promise<number[]> {
  const first = readFlacFrameHeader(await file.read(head.length, mostHeaderBytes));
  if (first?.number !== 0) throw new MalformedFile('a FLAC file that does not begin with its first frame');
  const least = Math.max(head.readUIntBE(places.leastFrame, 3), first.bytes);
  const offsets = [head.length];
  for (let at: number | undefined = head.length; at !== undefined;) {
    at = await findFrame(file, at + least, offsets.length);
    offsets.push(at ?? file.size);
  }
  return offsets;
}

async function findFrame(file: WindowedFile, from: number, number: number): Promise<number | undefined> {
  for (let at = from; at < file.size;) {
    // A header may lie across the border of two searches.
    const bytes = await file.read(at, searchBytes + mostHeaderBytes);
    for (let place = bytes.indexOf(syncCode); place >= 0; place = bytes.indexOf(syncCode, place + 1)) {
      if (place >= searchBytes) break;
      const header = readFlacFrameHeader(bytes.subarray(place, place + mostHeaderBytes));
      if (header?.number === number) return at + place;
    }
    at += searchBytes;
  }
  return undefined;
}

/** Facts of a joined file that its first segment does not have. */
export interface FlacTotals {
  leastFrame: number;
  mostFrame: number;
  samples: number;
  /** MD5 of all samples. */
  digest: Buffer;
}

/** Metadata of a joined file. */
export function totalFlacHead(head: Buffer, { leastFrame, mostFrame, samples, digest }: FlacTotals): Buffer {
  const total = Buffer.from(head);
  total.writeUIntBE(leastFrame, places.leastFrame, 3);
  total.writeUIntBE(mostFrame, places.mostFrame, 3);
  total[places.samples] = ((total[places.samples] ?? 0) & 0xf0) | Math.floor(samples / 2 ** 32);
  total.writeUInt32BE(samples % 2 ** 32, places.samples + 1);
  digest.copy(total, places.digest);
  return total;
}
