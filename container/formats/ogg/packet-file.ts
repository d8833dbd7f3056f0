import { CannotJoin } from '../../encode/segmented/join/cannot-join.ts';
import { WindowedFile } from '../windowed-file.ts';
import { pageFlags, pageHeaderSize, readPageHeader } from './page.ts';

const maxLacingValues = 255;

/** An Ogg file with one stream: pages of headers, packets of sound, with any of them at hand. */
export class PacketFile {
  /** the pages of the first `headerPackets` packets as they are, which no packet of sound shares (RFC 7845, 3) */
  readonly headerPages: Buffer;
  readonly headerPacket: Buffer;
  readonly serial: number;
  /** sequence number of the first page after them */
  readonly nextSequence: number;
  /** of the last page */
  readonly granulePosition: number;
  readonly #file: WindowedFile;
  readonly #packets: PacketPlaces;

  private constructor(file: WindowedFile, scanned: Scanned, headerPages: Buffer, headerPacket: Buffer) {
    this.#file = file;
    this.#packets = scanned.packets;
    this.headerPages = headerPages;
    this.headerPacket = headerPacket;
    this.serial = scanned.serial;
    this.nextSequence = scanned.headerPageCount;
    this.granulePosition = scanned.granulePosition;
  }

  static async open(path: string, headerPackets: number): Promise<PacketFile> {
    const file = await WindowedFile.open(path);
    try {
      const scanned = await scan(file, headerPackets);
      const headerPages = Buffer.from(await file.read(0, scanned.headerBytes));
      const { lacing } = readPageHeader(headerPages);
      const headerPacket = headerPages.subarray(pageHeaderSize + lacing.length).subarray(0, lacing[0]);
      return new PacketFile(file, scanned, headerPages, headerPacket);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** packets of sound */
  get packetCount(): number {
    return this.#packets.starts.length;
  }

  /** A view until the next read. */
  async packet(index: number): Promise<Buffer> {
    const [start, size] = [this.#packets.starts[index], this.#packets.sizes[index]];
    if (start === undefined || size === undefined) throw new CannotJoin(`there is no packet ${index}`);
    const torn = this.#packets.torn.get(index);
    if (torn === undefined) return await this.#file.read(start, size);
    const pieces: Buffer[] = [];
    for (const piece of torn) pieces.push(Buffer.from(await this.#file.read(piece.start, piece.size)));
    return Buffer.concat(pieces);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

interface Piece {
  start: number;
  size: number;
}

/** Where packets lie in the file. Hours of them: figures in two lists rather than an object for each. */
interface PacketPlaces {
  starts: number[];
  sizes: number[];
  /** those that go on on another page, by their number */
  torn: Map<number, Piece[]>;
}

interface Scanned {
  packets: PacketPlaces;
  serial: number;
  headerPageCount: number;
  headerBytes: number;
  granulePosition: number;
}

/** Goes over all pages once. */
async function scan(file: WindowedFile, headerPackets: number): Promise<Scanned> {
  const packets: PacketPlaces = { starts: [], sizes: [], torn: new Map() };
  const add = (pieces: readonly Piece[]): void => {
    if (pieces.length > 1) packets.torn.set(packets.starts.length, [...pieces]);
    packets.starts.push(pieces[0]?.start ?? 0);
    packets.sizes.push(pieces[0]?.size ?? 0);
  };
  let [headersLeft, headerPageCount, headerBytes] = [headerPackets, 0, 0];
  let [sequence, granulePosition] = [0, 0];
  let serial: number | undefined;
  let open: Piece[] = [];
  for (let at = 0; at < file.size; sequence += 1) {
    const page = readPageHeader(await file.read(at, pageHeaderSize + maxLacingValues));
    serial ??= page.serial;
    if (page.serial !== serial || page.sequence !== sequence) throw new CannotJoin('another stream in the Ogg file');
    if (((page.flags & pageFlags.continued) !== 0) !== open.length > 0) throw new CannotJoin('a packet is torn');
    let position = at + pageHeaderSize + page.lacing.length;
    let piece = position;
    for (const length of page.lacing) {
      position += length;
      if (length === maxLacingValues) continue;
      open.push({ start: piece, size: position - piece });
      if (headersLeft > 0) headersLeft -= 1;
      else add(open);
      [open, piece] = [[], position];
    }
    if (piece < position) open.push({ start: piece, size: position - piece });
    at = position;
    if (headerBytes === 0 && headersLeft === 0) [headerPageCount, headerBytes] = [sequence + 1, at];
    if (at > file.size) throw new CannotJoin('the last page is cut off');
    granulePosition = page.granulePosition;
  }
  if (serial === undefined || headersLeft > 0) throw new CannotJoin('the Ogg headers are missing');
  return { packets, serial, headerPageCount, headerBytes, granulePosition };
}
