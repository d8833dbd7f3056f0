import type { PacketFile } from '../../../formats/ogg/packet-file.ts';
import type { Seam } from './join-segments.ts';

/** How many packets past the cut are tried. */
const seamSearchPackets = 150;

/**
 * Where to change from one encoder's packets to the other's. At best the first place where both wrote the same two packets
 * in a row. Else a place where all four packets have one mode (their first byte, RFC 6716, 3.1): behind one packet that is
 * the same, or where packets are smallest, as a decoder in a slightly different state is heard least there.
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
      // One packet that both wrote alike brings the decoder's states near to each other.
      const isHalfExact = pairBefore[0].equals(pairBefore[1]);
      const bytes = isHalfExact ? 0 : pairBefore[1].length + pair[1].length;
      if (isSameMode && (best === undefined || bytes < best.bytes)) best = { offset, bytes };
    }
    before = here;
  }
  if (best === undefined) return undefined;
  return { earlier: earlierCut + best.offset, later: laterCut + best.offset, isExact: false };
}
