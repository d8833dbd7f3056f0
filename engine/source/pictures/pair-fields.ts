import type { Packet } from '../../ffmpeg/packet-list.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import type { PictureStream } from './picture-source.ts';

/** Ticks by which ffmpeg's durations are rounded. */
const roundingTicks = 2;

/** Packets for each picture of the declared rate, from which on many packets are fields. */
const crowded = 1.2;

/**
 * Combines the packets of pictures that H.264 codes as two fields (PAFF), as many broadcasts of 1080i do. ffmpeg divides
 * a transport stream into fields, also where it copies one to Matroska, and decodes one picture of two. Its time is that
 * of the first field; the second one may have none. In Matroska, a field has the duration of a picture.
 */
export function pairFields(
  { codec, isInterlaced, claimedRates, timeBase }: PictureStream,
  packets: readonly Packet[],
): readonly Packet[] {
  const [rate] = claimedRates;
  if (codec !== 'h264' || !isInterlaced || rate === undefined) return packets;
  const ticks = 1 / (valueOf(rate) * valueOf(timeBase));
  const isCrowded = packets.length * ticks > crowded * (spanOf(packets) + ticks);
  const isHalf = ({ duration = NaN }: Packet): boolean => Math.abs(2 * duration - ticks) <= roundingTicks;
  const pictures: Packet[] = [];
  let first: Packet | undefined;
  for (const packet of packets) {
    const isSecond =
      first !== undefined &&
      (isHalf(first) && isHalf(packet)
        ? follows(first, packet, 0.75 * ticks)
        : isCrowded && isWithin(first, packet, 0.75 * ticks));
    if (!isSecond) pictures.push(isHalf(packet) ? { ...packet, duration: ticks } : packet);
    first = isSecond ? undefined : packet;
  }
  return pictures;
}

/** Ticks from the first picture to the last. */
function spanOf(packets: readonly Packet[]): number {
  const times = packets.flatMap(({ pts }) => pts ?? []);
  const least = times.reduce((one, other) => Math.min(one, other), Infinity);
  return times.reduce((one, other) => Math.max(one, other), least) - least;
}

const isWithin = ({ pts: before = NaN }: Packet, { pts: after = NaN }: Packet, ticks: number): boolean =>
  after > before && after - before < ticks;

/** A packet without a time follows the previous one. */
const follows = (before: Packet, after: Packet, ticks: number): boolean =>
  before.pts === undefined || after.pts === undefined || isWithin(before, after, ticks);
