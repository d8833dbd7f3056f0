import { readBits } from '../bits.ts';
import { MalformedFile } from '../malformed-file.ts';

/** Bytes of a header (ISO/IEC 11172-3, 2.4.1.3). */
const headerSize = 4;

/**
 * kbit/s, indexed by four bits of the header (2.4.2.3; 13818-3, 2.4.2.3 for the lower rates). 0 is free format, which
 * is refused.
 */
const bitrates = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
} as const;

/** Hz for MPEG-1. MPEG-2 halves these rates; MPEG-2.5 quarters them. */
const sampleRates = [44_100, 48_000, 32_000, 0] as const;

export interface FrameHeader {
  isMpeg1: boolean;
  isMono: boolean;
  /** kbit/s */
  bitrate: number;
  /** Hz */
  sampleRate: number;
  /** Bytes of the whole frame. */
  size: number;
  /** Samples per channel. */
  samples: number;
  /** Bytes of header and side information. The rest is the frame's slot for main data. */
  mainDataAt: number;
}

/**
 * Samples per frame at a rate in Hz. MPEG-1 has two granules (ISO/IEC 11172-3, 2.4.2.1), the lower rates one (13818-3).
 */
export function samplesPerFrame(sampleRate: number): number {
  return sampleRate >= 32_000 ? 1152 : 576;
}

/** Reads a layer III header without the optional checksum, which LAME does not write here. */
export function readFrameHeader(bytes: Uint8Array): FrameHeader {
  const [sync = 0, kind = 0, rates = 0, mode = 0] = bytes;
  // 11 bits of sync, layer III (01), no CRC (1).
  if (bytes.length < headerSize || sync !== 0xff || (kind & 0xe7) !== 0xe3) {
    throw new MalformedFile('no layer III header');
  }
  const versionBits = (kind >> 3) & 3;
  const isMpeg1 = versionBits === 3;
  const isMono = mode >> 6 === 3;
  const bitrate = bitrates[isMpeg1 ? 'mpeg1' : 'mpeg2'][rates >> 4] ?? 0;
  const sampleRate = (sampleRates[(rates >> 2) & 3] ?? 0) / (isMpeg1 ? 1 : versionBits === 2 ? 2 : 4);
  if (bitrate === 0 || sampleRate === 0 || versionBits === 1)
    throw new MalformedFile('a layer III header without a known rate');
  const padding = (rates >> 1) & 1;
  const samples = samplesPerFrame(sampleRate);
  const sideInformation = isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    isMpeg1,
    isMono,
    bitrate,
    sampleRate,
    size: Math.floor((samples * bitrate * 1000) / 8 / sampleRate) + padding,
    samples,
    mainDataAt: headerSize + sideInformation,
  };
}

export interface Frame {
  header: FrameHeader;
  bytes: Buffer;
  /** Bit reservoir: bytes before this frame's slot at which its main data starts, in the slots of earlier frames. */
  mainDataBegin: number;
  /** Bits of its main data: the sum of part2_3_length over granules and channels. */
  mainDataBits: number;
}

/** Reads the side information (ISO/IEC 11172-3, 2.4.1.7; 13818-3, 2.4.1.7) that locates the main data. */
export function readFrame(bytes: Buffer): Frame {
  const header = readFrameHeader(bytes);
  const { isMpeg1, isMono } = header;
  const side = bytes.subarray(headerSize, header.mainDataAt);
  const channels = isMono ? 1 : 2;
  const mainDataBegin = readBits(side, 0, isMpeg1 ? 9 : 8);
  // main_data_begin, private bits, and, in MPEG-1, four scfsi bits per channel.
  let at = isMpeg1 ? 9 + (isMono ? 5 : 3) + 4 * channels : 8 + (isMono ? 1 : 2);
  let mainDataBits = 0;
  for (let part = 0; part < (isMpeg1 ? 2 : 1) * channels; part += 1) {
    mainDataBits += readBits(side, at, 12);
    at += isMpeg1 ? 59 : 63;
  }
  return { header, bytes, mainDataBegin, mainDataBits };
}

/** The frame's slot, which holds main data of this frame or of later ones. */
export function slotOf(frame: Frame): Buffer {
  return frame.bytes.subarray(frame.header.mainDataAt);
}
