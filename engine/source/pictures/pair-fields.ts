import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/** Ticks by which ffmpeg's durations are rounded. */
const roundingTicks = 2;

/** Above this many packets for each picture of the declared rate, many packets are fields. */
const crowded = 1.2;

/** Facts that a file declares about its pictures. */
interface DeclaredPictures {
  /** ffprobe's name. */
  formatName: string;
  /** ffprobe's name. */
  codec: string;
  isInterlaced: boolean;
  /** An MP4 with a sample for each field, at the rate of pictures. */
  storesFields?: true;
  /** Pictures per second: on average, and by the shortest step. */
  claimedRates: readonly Rational[];
  timeBase: Rational;
}

/**
 * Combines the packets of pictures that H.264 codes as two fields (PAFF), as many broadcasts of 1080i do. ffmpeg
 * makes a packet of each field of a transport stream, also when it copies the stream to Matroska, and decodes two
 * fields to one picture. The picture has the time of its first field; the second field may have no time. In Matroska,
 * a field has the duration of a picture. `describeFields` recognises such an MP4. If both packets have a time, they count
 * as fields only if the file declares interlacing, or if ffmpeg states one picture for two of the shortest steps, because
 * the rate of a film may double in the middle.
 */
export function pairFields(
  { formatName, codec, isInterlaced, storesFields, claimedRates, timeBase }: DeclaredPictures,
  packets: readonly Packet[],
): readonly Packet[] {
  const [rate, smallest] = claimedRates;
  const isTimed = formatName === 'mpegts' || storesFields === true;
  const isCopy = formatName.startsWith('matroska');
  if (codec !== 'h264' || rate === undefined || !(isTimed || isCopy)) return packets;
  const isOfFields = isInterlaced || (smallest !== undefined && valueOf(smallest) === 2 * valueOf(rate));
  const ticks = 1 / (valueOf(rate) * valueOf(timeBase));
  const isCrowded = isCopy && isInterlaced && packets.length * ticks > crowded * (spanOf(packets) + ticks);
  const isHalf = ({ duration = NaN }: Packet): boolean => isTimed && Math.abs(2 * duration - ticks) <= roundingTicks;
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

/**
 * Lets packets without any time follow the previous one. In transport streams, two pictures may begin in one packet of
 * the multiplex, which has one time.
 */
export function followOn(packets: readonly Packet[]): Packet[] {
  let next: number | undefined;
  return packets.map((packet) => {
    const isTimed = (packet.pts ?? packet.dts) !== undefined;
    const timed = isTimed ? packet : { ...packet, dts: next };
    next = timed.dts === undefined ? undefined : timed.dts + (timed.duration ?? NaN);
    return timed;
  });
}
