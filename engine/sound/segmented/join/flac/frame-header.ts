import { crc8 } from './frame-crc.ts';

/** Sync code and a fixed block size (RFC 9639, 9.1). */
export const syncCode = Buffer.of(0xff, 0xf8);

/** Bytes before the coded number. */
const fixedBytes = 4;

/** Most bytes of a header: the fixed ones, a number, block size, sample rate and CRC. */
export const mostHeaderBytes = fixedBytes + 7 + 2 + 2 + 1;

export interface FlacFrameHeader {
  /** Number of the frame. */
  number: number;
  /** Bytes of the header with its CRC. */
  bytes: number;
  /** Offset of the first byte after the number. */
  afterNumber: number;
}

/** Bytes that uncommon block sizes and sample rates add (RFC 9639, 9.1.6 and 9.1.7). */
const blockSizeBytes: Readonly<Record<number, number>> = { 6: 1, 7: 2 };
const sampleRateBytes: Readonly<Record<number, number>> = { 12: 1, 13: 2, 14: 2 };

/** Reads the header of a frame with a fixed block size; undefined if there is none, or if its CRC is wrong. */
export function readFlacFrameHeader(bytes: Uint8Array): FlacFrameHeader | undefined {
  const [sync = 0, fixed = 0, sizes = 0, , first = 0] = bytes;
  if (sync !== syncCode[0] || fixed !== syncCode[1]) return undefined;
  // A number is coded as in UTF-8, with up to seven bytes (RFC 9639, 9.1.5).
  const ones = Math.clz32(~(first << 24));
  if (ones === 1 || ones > 7) return undefined;
  const length = Math.max(1, ones);
  let number = ones === 0 ? first : first & (0x7f >> ones);
  for (const byte of bytes.subarray(fixedBytes + 1, fixedBytes + length)) {
    if (byte >> 6 !== 2) return undefined;
    number = number * 64 + (byte & 0x3f);
  }
  const afterNumber = fixedBytes + length;
  const crcAt = afterNumber + (blockSizeBytes[sizes >> 4] ?? 0) + (sampleRateBytes[sizes & 15] ?? 0);
  if (bytes.length <= crcAt || crc8(bytes.subarray(0, crcAt)) !== bytes[crcAt]) return undefined;
  return { number, bytes: crcAt + 1, afterNumber };
}

function codedNumber(number: number): number[] {
  if (number < 0x80) return [number];
  const following: number[] = [];
  let rest = number;
  // A first byte after `count` others has 6 - count bits.
  while (rest >= 2 ** (6 - following.length)) {
    following.unshift(0x80 | (rest % 64));
    rest = Math.floor(rest / 64);
  }
  const mark = (0xff << (7 - following.length)) & 0xff;
  return [mark | rest, ...following];
}

/** Header of the same frame with another number. */
export function renumberFlacHeader(header: Buffer, afterNumber: number, number: number): Buffer {
  const begin = Buffer.concat([
    header.subarray(0, fixedBytes),
    Buffer.from(codedNumber(number)),
    header.subarray(afterNumber, -1),
  ]);
  return Buffer.concat([begin, Buffer.of(crc8(begin))]);
}
