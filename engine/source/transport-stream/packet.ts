/** Bytes of a packet (ISO/IEC 13818-1, 2.4.3.2). */
export const packetBytes = 188;

/** Clock of times in packets (2.4.3.7). */
export const ticksPerSecond = 90_000;

const syncByte = 0x47;

/**
 * Distances of packets: plain, with an arrival time before each packet (Blu-ray, cameras), and with a Reed-Solomon code
 * after it (broadcast equipment).
 */
const strides = [packetBytes, 192, 204];

/** Number of consecutive packets that prove a distance. */
const provingPackets = 5;

/** Distance between the packets of a stream whose first bytes these are; undefined if no packets follow each other. */
export function findStride(head: Buffer): number | undefined {
  return strides.find((stride) =>
    Array.from({ length: stride }, (_, start) => start).some((start) =>
      Array.from({ length: provingPackets }, (_, index) => head[start + index * stride]).every(
        (byte) => byte === syncByte,
      ),
    ),
  );
}

/**
 * Calls `visit` with the position of each packet in a block, and returns how many bytes are done. A packet that the
 * block cuts is left for the next one. After damage, the next packet is the first one that another packet follows.
 */
export function visitPackets(block: Buffer, stride: number, visit: (at: number) => void): number {
  let at = 0;
  let isInStep = true;
  while (at + packetBytes <= block.length) {
    const next = block[at + stride];
    if (block[at] === syncByte && (isInStep || next === syncByte || next === undefined)) {
      visit(at);
      isInStep = next === syncByte;
      at += isInStep ? stride : packetBytes;
    } else {
      isInStep = false;
      at += 1;
    }
  }
  return at;
}

/** Stream to which the packet belongs (PID). */
export const streamOf = (block: Buffer, at: number): number => block.readUInt16BE(at + 1) & 0x1fff;

const hasPayload = (block: Buffer, at: number): boolean => ((block[at + 3] ?? 0) & 0x10) !== 0;

/** Counts a stream's packets modulo 16; undefined for a packet without payload, which is not counted. */
export const countOf = (block: Buffer, at: number): number | undefined =>
  hasPayload(block, at) ? (block[at + 3] ?? 0) & 0x0f : undefined;

/** Bytes of the adaptation field, with its length. */
function adaptationBytes(block: Buffer, at: number): number {
  return ((block[at + 3] ?? 0) & 0x20) === 0 ? 0 : 1 + (block[at + 4] ?? 0);
}

/** Position of the packet's program clock reference (PCR); undefined if it has none. */
export function findClockReference(block: Buffer, at: number): number | undefined {
  const hasReference = adaptationBytes(block, at) >= 8 && ((block[at + 5] ?? 0) & 0x10) !== 0;
  return hasReference ? at + 6 : undefined;
}

/** Positions of the times of a packetized elementary stream's unit (2.4.3.7). */
export interface UnitTimes {
  /** `stream_id`. */
  kind: number;
  shownAt: number;
  /** Undefined if the unit is decoded when it is shown. */
  decodedAt: number | undefined;
}

/** Finds the times of the unit that starts in this packet; undefined if none starts, or one without times. */
export function findUnitTimes(block: Buffer, at: number): UnitTimes | undefined {
  const startsUnit = ((block[at + 1] ?? 0) & 0x40) !== 0;
  const isScrambled = ((block[at + 3] ?? 0) & 0xc0) !== 0;
  if (!startsUnit || isScrambled || !hasPayload(block, at)) return undefined;
  const start = at + 4 + adaptationBytes(block, at);
  const end = at + packetBytes;
  if (start + 14 > end || block.readUIntBE(start, 3) !== 1) return undefined;
  const flags = (block[start + 7] ?? 0) >> 6;
  if (((block[start + 6] ?? 0) & 0xc0) !== 0x80 || flags < 2) return undefined;
  const isDecodedEarlier = flags === 3 && start + 19 <= end;
  return {
    kind: block[start + 3] ?? 0,
    shownAt: start + 9,
    decodedAt: isDecodedEarlier ? start + 14 : undefined,
  };
}

/** Times count modulo this many ticks of 90 kHz, 26.5 hours. */
export const clockTicks = 2 ** 33;

/** Ticks from one time to another, which is at most 13 hours earlier or later. */
export function ticksBetween(from: number, to: number): number {
  const ticks = wrapTicks(to - from);
  return ticks < clockTicks / 2 ? ticks : ticks - clockTicks;
}

const wrapTicks = (ticks: number): number => ((ticks % clockTicks) + clockTicks) % clockTicks;

/** Reads a time of 33 bits, with the marker bits between them. */
export function readTicks(block: Buffer, at: number): number {
  const high = ((block[at] ?? 0) >> 1) & 7;
  return high * 2 ** 30 + (block.readUInt16BE(at + 1) >> 1) * 2 ** 15 + (block.readUInt16BE(at + 3) >> 1);
}

/** Adds to such a time. */
export function moveTicks(block: Buffer, at: number, by: number): void {
  const ticks = wrapTicks(readTicks(block, at) + by);
  block[at] = ((block[at] ?? 0) & 0xf0) | (Math.floor(ticks / 2 ** 30) << 1) | 1;
  block.writeUInt16BE((Math.floor(ticks / 2 ** 15) % 2 ** 15) * 2 + 1, at + 1);
  block.writeUInt16BE((ticks % 2 ** 15) * 2 + 1, at + 3);
}

/** Adds to a clock reference, whose 33 bits have no markers. Its remaining bits count fractions of a tick. */
export function moveClockReference(block: Buffer, at: number, by: number): void {
  const last = block[at + 4] ?? 0;
  const ticks = wrapTicks(block.readUInt32BE(at) * 2 + (last >> 7) + by);
  block.writeUInt32BE(Math.floor(ticks / 2), at);
  block[at + 4] = (last & 0x7f) | ((ticks % 2) << 7);
}
