import type { VorbisFile } from './vorbis-file.ts';
import type { Seam } from './join-segments.ts';

/** Consecutive packets that must be equal in both files; the first of them precedes the seam. */
const agreeingPackets = 8;

/**
 * Finds the first position behind the cut where both encoders wrote the same packets for the same samples. libvorbis
 * restarts its long blocks after each attack, so two encoders converge on the same blocks. A decoder needs no more than
 * the packet before.
 */
export async function findVorbisSeam(
  earlierFile: VorbisFile,
  earlierCut: number,
  laterFile: VorbisFile,
  laterCut: number,
): Promise<Seam | undefined> {
  const shift = laterCut - earlierCut;
  const isSame = async (packet: number): Promise<boolean> => {
    const end = (earlierFile.endOf(packet) ?? 0) + shift;
    const other = laterFile.packetBehind(end) - 1;
    if (other < 0 || laterFile.endOf(other) !== end) return false;
    const copy = Buffer.from(await earlierFile.packets.packet(packet));
    return copy.equals(await laterFile.packets.packet(other));
  };
  let agreed = 0;
  const last = earlierFile.packets.packetCount;
  for (let packet = earlierFile.packetBehind(earlierCut); packet < last; packet += 1) {
    agreed = (await isSame(packet)) ? agreed + 1 : 0;
    if (agreed < agreeingPackets) continue;
    const position = earlierFile.endOf(packet - agreeingPackets + 1) ?? 0;
    return { earlier: position, later: position + shift, isExact: true };
  }
  return undefined;
}
