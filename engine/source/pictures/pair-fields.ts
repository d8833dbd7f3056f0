import type { Packet } from '../../ffmpeg/packet-list.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import type { PictureStream } from './picture-source.ts';

/** Ticks by which ffmpeg's durations are rounded. */
const roundingTicks = 2;

/**
 * Combines the packets of pictures that H.264 codes as two fields (PAFF), as many broadcasts of 1080i do. ffmpeg divides
 * a transport stream into fields, and decodes one picture of two. Its time is that of the first field; the second one
 * may have none.
 */
export function pairFields(
  { codec, isInterlaced, claimedRates, timeBase }: PictureStream,
  packets: readonly Packet[],
): readonly Packet[] {
  const [rate] = claimedRates;
  if (codec !== 'h264' || !isInterlaced || rate === undefined) return packets;
  const ticks = 1 / (valueOf(rate) * valueOf(timeBase));
  const isField = ({ duration = NaN }: Packet): boolean => Math.abs(2 * duration - ticks) <= roundingTicks;
  const pictures: Packet[] = [];
  let first: Packet | undefined;
  for (const packet of packets) {
    const isSecond = first !== undefined && isField(packet) && followsWithin(ticks * 0.75, first, packet);
    if (!isSecond) pictures.push(isField(packet) ? { ...packet, duration: ticks } : packet);
    first = !isSecond && isField(packet) ? packet : undefined;
  }
  return pictures;
}

/** A packet without a time follows the previous one. */
const followsWithin = (ticks: number, { pts: before }: Packet, { pts: after }: Packet): boolean =>
  before === undefined || after === undefined || (after > before && after - before < ticks);
