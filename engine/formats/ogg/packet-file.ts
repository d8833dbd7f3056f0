import { MalformedFile } from '../malformed-file.ts';
import { WindowedFile } from '../windowed-file.ts';
import { maxLacingValue, maxLacingValues, pageHeaderSize, readPageHeader } from './page.ts';
import { pageFlags } from './page-flags.ts';

/** An Ogg file with one stream: header pages, and audio packets with random access. */
export class PacketFile {
  /** Pages of the first `headerPackets` packets, unchanged. No audio packet shares them (RFC 7845, 3). */
  readonly headerPages: Buffer;
  readonly headerPacket: Buffer;
  readonly serial: number;
  /** Sequence number of the first page after them. */
  readonly nextSequence: number;
  /** Granule position of the last page. */
  readonly granulePosition: number;
  readonly #file: WindowedFile;
  readonly #packets: PacketPlaces;

  private constructor(file: WindowedFile, pages: PageScan, headerPages: Buffer, headerPacket: Buffer) {
    this.#file = file;
    this.#packets = pages.packets;
    this.headerPages = headerPages;
    this.headerPacket = headerPacket;
    this.serial = pages.serial;
    this.nextSequence = pages.headerPageCount;
    this.granulePosition = pages.granulePosition;
  }

  static async open(path: string, headerPackets: number): Promise<PacketFile> {
    return await WindowedFile.openFor(path, async (file) => {
      const pages = await scanPages(file, headerPackets);
      const headerPages = Buffer.from(await file.read(0, pages.headerBytes));
      const { lacing } = readPageHeader(headerPages);
      const headerPacket = headerPages.subarray(pageHeaderSize + lacing.length).subarray(0, lacing[0]);
      return new PacketFile(file, pages, headerPages, headerPacket);
    });
  }

  get packetCount(): number {
    return this.#packets.starts.length;
  }

  /** Returns a view, valid until the next read. */
  async packet(index: number): Promise<Buffer> {
    const [start, size] = [this.#packets.starts[index], this.#packets.sizes[index]];
    if (start === undefined || size === undefined) throw new RangeError(`there is no packet ${index}`);
    const allPieces = this.#packets.continued.get(index);
    if (allPieces === undefined) return await this.#file.read(start, size);
    const pieces: Buffer[] = [];
    for (const piece of allPieces) pieces.push(Buffer.from(await this.#file.read(piece.start, piece.size)));
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

/**
 * Offsets of packets in the file. Two lists of numbers take much less memory than an object for each packet of many
 * hours.
 */
interface PacketPlaces {
  starts: number[];
  sizes: number[];
  /** Pieces of packets that continue on another page, by packet number. */
  continued: Map<number, Piece[]>;
}

interface PageScan {
  packets: PacketPlaces;
  serial: number;
  headerPageCount: number;
  headerBytes: number;
  granulePosition: number;
}

/** Reads all page headers once. */
async function scanPages(file: WindowedFile, headerPackets: number): Promise<PageScan> {
  const packets: PacketPlaces = { starts: [], sizes: [], continued: new Map() };
  const add = (pieces: readonly Piece[]): void => {
    if (pieces.length > 1) packets.continued.set(packets.starts.length, [...pieces]);
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
    if (page.serial !== serial || page.sequence !== sequence) throw new MalformedFile('another stream in an Ogg file');
    if (((page.flags & pageFlags.continued) !== 0) !== open.length > 0)
      throw new MalformedFile('a packet that does not continue on the next page');
    let position = at + pageHeaderSize + page.lacing.length;
    let piece = position;
    for (const length of page.lacing) {
      position += length;
      if (length === maxLacingValue) continue;
      open.push({ start: piece, size: position - piece });
      if (headersLeft > 0) headersLeft -= 1;
      else add(open);
      [open, piece] = [[], position];
    }
    if (piece < position) open.push({ start: piece, size: position - piece });
    at = position;
    if (headerBytes === 0 && headersLeft === 0) [headerPageCount, headerBytes] = [sequence + 1, at];
    if (at > file.size) throw new MalformedFile('the last page is cut off');
    granulePosition = page.granulePosition;
  }
  if (serial === undefined || headersLeft > 0) throw new MalformedFile('the Ogg headers are missing');
  return { packets, serial, headerPageCount, headerBytes, granulePosition };
}
