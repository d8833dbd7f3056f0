import { MalformedFile } from '../malformed-file.ts';
import { crc32 } from './crc32.ts';

/** bytes of a page's header without its table of segments (RFC 3533, 6) */
export const pageHeaderSize = 27;

/** How many pieces of packets a page has room for, and how many bytes each (RFC 3533, 6). */
export const maxLacingValues = 255;
export const maxLacingValue = 255;

export interface PageHeader {
  flags: number;
  /** samples at 48 kHz, for Opus with the pre-skip, up to the end of the last packet that ends on the page */
  granulePosition: number;
  serial: number;
  sequence: number;
  /** lacing values: bytes of each piece of a packet, 255 where another follows */
  lacing: Uint8Array;
}

/** Reads the header that `bytes` begins with; they hold at least the 255 lacing values there may be, or the file's end. */
export function readPageHeader(bytes: Buffer): PageHeader {
  if (bytes.length < pageHeaderSize || bytes.toString('latin1', 0, 4) !== 'OggS' || bytes[4] !== 0) {
    throw new MalformedFile('no Ogg page');
  }
  const lacing = bytes.subarray(pageHeaderSize, pageHeaderSize + (bytes[26] ?? 0));
  return {
    flags: bytes[5] ?? 0,
    granulePosition: Number(bytes.readBigInt64LE(6)),
    serial: bytes.readUInt32LE(14),
    sequence: bytes.readUInt32LE(18),
    lacing: Uint8Array.from(lacing),
  };
}

export function buildPage(header: PageHeader, body: Buffer): Buffer {
  const page = Buffer.alloc(pageHeaderSize + header.lacing.length + body.length);
  page.write('OggS', 0, 'latin1');
  page[5] = header.flags;
  page.writeBigInt64LE(BigInt(header.granulePosition), 6);
  page.writeUInt32LE(header.serial, 14);
  page.writeUInt32LE(header.sequence, 18);
  page[26] = header.lacing.length;
  page.set(header.lacing, pageHeaderSize);
  body.copy(page, pageHeaderSize + header.lacing.length);
  page.writeUInt32LE(crc32(page), 22);
  return page;
}
