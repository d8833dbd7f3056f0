import { readBits } from '../bits.ts';

/** Samples per channel in a frame of AAC-LC (ISO/IEC 14496-3, 4.5.2.1.1). */
export const aacFrameSamples = 1024;

/** Syntactic elements (ISO/IEC 14496-3, table 4.85). */
const elements = { singleChannel: 0, channelPair: 1, fill: 6 } as const;

/** window_sequence (table 4.86) of one long window */
const onlyLongSequence = 0;

export interface WindowShape {
  sequence: number;
  /** 1 is Kaiser-Bessel derived. */
  shape: number;
}

/** Size in bits of a fill_element (table 4.12), counted from the bit after the element's id. */
function fillSize(frame: Buffer, at: number): number {
  const count = readBits(frame, at, 4);
  return count < 15 ? 4 + 8 * count : 4 + 8 + 8 * (count + readBits(frame, at + 4, 8) - 1);
}

/**
 * Reads the window of a raw_data_block of one or two channels from its ics_info (tables 4.3 to 4.6); undefined if its
 * two channels may have different windows.
 */
export function readWindow(frame: Buffer): WindowShape | undefined {
  let at = 0;
  while (readBits(frame, at, 3) === elements.fill && at < frame.length * 8) at += 3 + fillSize(frame, at + 3);
  const element = readBits(frame, at, 3);
  // The element's id and its tag.
  at += 3 + 4;
  if (element === elements.channelPair) {
    if (readBits(frame, at, 1) === 0) return undefined;
    at += 1;
  } else if (element === elements.singleChannel) {
    // global_gain
    at += 8;
  } else {
    return undefined;
  }
  // ics_reserved_bit
  at += 1;
  return { sequence: readBits(frame, at, 2), shape: readBits(frame, at + 2, 1) };
}

/**
 * True if both frames have one long window of the same shape, so that they overlap with their neighbours in the same
 * way.
 */
export function haveSameLongWindow(a: Buffer, b: Buffer): boolean {
  const [windowA, windowB] = [readWindow(a), readWindow(b)];
  if (windowA === undefined || windowB === undefined) return false;
  const areLong = windowA.sequence === onlyLongSequence && windowB.sequence === onlyLongSequence;
  return areLong && windowA.shape === windowB.shape;
}
