import type { PacketFile } from '../../../formats/ogg/packet-file.ts';
import type { Seam } from './join-segments.ts';

/** Number of packets after the cut that are tried. */
const seamSearchPackets = 150;

/**
 * Finds where to switch from one encoder's packets to the other's. The best place is the first with two equal
 * consecutive packets. Otherwise all four packets must have one mode (their first byte, RFC 6716, 3.1), and the switch
 * follows an equal packet, or happens where packets are smallest, because a slightly different decoder state is least
 * audible there.
 */
export async function findOpusSeam(
  earlierFile: PacketFile,
  earlierCut: number,
  laterFile: PacketFile,
  laterCut: number,
): Promise<Seam | undefined> {
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
      const isSameMode = new Set([...pairBefore, ...pair].map(([configuration]) => configuration)).size === 1;
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
