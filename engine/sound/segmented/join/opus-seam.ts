import type { PacketFile } from '../../../formats/ogg/packet-file.ts';
import type { Seam } from './join-segments.ts';

/** Number of packets after the cut that are tried. */
const seamSearchPackets = 150;

/** Offset of the number of streams in OpusHead (RFC 7845, 5.1.1), after the family of the mapping. */
const familyAt = 18;

/** Streams in each packet: one for up to two channels, else as many as the header says. */
function streamCount({ headerPacket }: PacketFile): number {
  return headerPacket[familyAt] === 0 ? 1 : (headerPacket[familyAt + 1] ?? 1);
}

/**
 * The modes of all streams of a packet: the first byte of each (RFC 6716, 3.1). All streams but the last state their
 * length (appendix B). Undefined if a stream has several frames, which libopus does not write here.
 */
export function readModes(packet: Uint8Array, streams: number): string | undefined {
  const modes: number[] = [];
  let at = 0;
  for (let left = streams; left > 0; left -= 1) {
    const mode = packet[at] ?? 0;
    modes.push(mode);
    if (left === 1) break;
    if ((mode & 3) !== 0) return undefined;
    const length = packet[at + 1] ?? 0;
    at += length < 252 ? 2 + length : 3 + length + 4 * (packet[at + 2] ?? 0);
  }
  return modes.join();
}

/**
 * Finds where to switch from one encoder's packets to the other's. The best place is the first with two equal
 * consecutive packets. Otherwise all four packets must have the same modes, and the switch follows an equal packet, or
 * happens where packets are smallest, because a slightly different decoder state is least audible there.
 */
export async function findOpusSeam(
  earlierFile: PacketFile,
  earlierCut: number,
  laterFile: PacketFile,
  laterCut: number,
): Promise<Seam | undefined> {
  const streams = streamCount(earlierFile);
  let best: { offset: number; bytes: number } | undefined;
  let before: [Buffer, Buffer] | undefined;
  for (let offset = -1; offset < seamSearchPackets; offset += 1) {
    if (earlierCut + offset >= earlierFile.packetCount || laterCut + offset >= laterFile.packetCount) break;
    const here: [Buffer, Buffer] = [
      Buffer.from(await earlierFile.packet(earlierCut + offset)),
      Buffer.from(await laterFile.packet(laterCut + offset)),
    ];
    if (before !== undefined) {
      const [pair, pairBefore] = [here, before];
      const place = { earlier: earlierCut + offset, later: laterCut + offset };
      if (pairBefore[0].equals(pairBefore[1]) && pair[0].equals(pair[1])) return { ...place, isExact: true };
      const modes = new Set([...pairBefore, ...pair].map((packet) => readModes(packet, streams)));
      const isSameMode = modes.size === 1 && !modes.has(undefined);
      // One equal packet brings the decoders' states close to each other.
      const isHalfExact = pairBefore[0].equals(pairBefore[1]);
      const bytes = isHalfExact ? 0 : pairBefore[1].length + pair[1].length;
      if (isSameMode && (best === undefined || bytes < best.bytes)) best = { offset, bytes };
    }
    before = here;
  }
  if (best === undefined) return undefined;
  return { earlier: earlierCut + best.offset, later: laterCut + best.offset, isExact: false };
}
