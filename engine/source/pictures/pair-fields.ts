import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/** Ticks by which ffmpeg's durations are rounded. */
const roundingTicks = 2;

/** Ticks of a picture below which a rounded duration does not tell a field from a picture. AVI has one or two. */
const fewTicks = 8 * roundingTicks;

/** Packets for each picture of the declared rate, from which on many packets are fields. */
const crowded = 1.2;

/** Facts that a file declares about its pictures. */
interface DeclaredPictures {
  /** ffprobe's name. */
  codec: string;
  isInterlaced: boolean;
  /** Pictures per second: on average, and by the shortest step. */
  claimedRates: readonly Rational[];
  timeBase: Rational;
}

/**
 * Combines the packets of pictures that H.264 codes as two fields (PAFF), as many broadcasts of 1080i do. ffmpeg divides
 * a transport stream into fields, also where it copies one to Matroska, and decodes one picture of two. Its time is that
 * of the first field; the second one may have none. In Matroska, a field has the duration of a picture. Where both have a
 * time, the file must declare fields, or ffmpeg a picture for two of the shortest steps: a rate may double in the middle.
 */
export function pairFields(
  { codec, isInterlaced, claimedRates, timeBase }: DeclaredPictures,
  packets: readonly Packet[],
): readonly Packet[] {
  const [rate, smallest] = claimedRates;
  if (codec !== 'h264' || rate === undefined) return packets;
  const ticks = 1 / (valueOf(rate) * valueOf(timeBase));
  if (ticks < fewTicks) return packets;
  const isOfFields = isInterlaced || (smallest !== undefined && valueOf(smallest) === 2 * valueOf(rate));
  const isCrowded = isInterlaced && packets.length * ticks > crowded * (spanOf(packets) + ticks);
  const isHalf = ({ duration = NaN }: Packet): boolean => Math.abs(2 * duration - ticks) <= roundingTicks;
  const pictures: Packet[] = [];
  let first: Packet | undefined;
  for (const packet of packets) {
    const isSecond =
      first !== undefined &&
      (isHalf(first) && isHalf(packet)
        ? hasNoTime(first, packet) || (isOfFields && isWithin(first, packet, 0.75 * ticks))
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

const hasNoTime = ({ pts: before }: Packet, { pts: after }: Packet): boolean =>
  before === undefined || after === undefined;
