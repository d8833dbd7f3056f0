import { MalformedFile } from '../malformed-file.ts';
import { crc32 } from './crc32.ts';

/** Bytes of a page header without its segment table (RFC 3533, 6). */
export const pageHeaderSize = 27;

/** A page holds at most 255 packet pieces of at most 255 bytes (RFC 3533, 6). */
export const maxLacingValues = 255;
export const maxLacingValue = 255;

export interface PageHeader {
  flags: number;
  /**
   * Samples, for Opus at 48 kHz and including the pre-skip, up to the end of the last packet that ends on the page.
   */
  granulePosition: number;
  serial: number;
  sequence: number;
  /** Lacing values: bytes of each packet piece; 255 if another piece follows. */
  lacing: Uint8Array;
}

/**
 * Reads the header at the start of `bytes`, which must hold the up to 255 lacing values or reach the end of the file.
 */
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
