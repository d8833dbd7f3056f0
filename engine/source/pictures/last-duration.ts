import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import type { PictureStream } from './picture-source.ts';

/** MP4 and Matroska declare lengths in milliseconds. */
const declaredRoundingSeconds = 0.001;

/** Seconds from the first picture to the end, if the file has its end and declares the length of its pictures alone. */
function declaredLength({ declaredSeconds = 0, ending, formatName }: PictureStream): number {
  return ending === 'whole' && /^(?:matroska|mov)\b/.test(formatName) ? declaredSeconds : 0;
}

/** Duration of the last picture in ticks: as declared, else that of other pictures. */
export function lastDuration(
  stream: PictureStream,
  packets: readonly Packet[],
  times: readonly number[],
  rate: Rational | undefined,
): number {
  const tick = valueOf(stream.timeBase);
  if (rate !== undefined) return 1 / (valueOf(rate) * tick);
  const [first = 0, last = first] = [times[0], times.at(-1)];
  // In Matroska, this is the distance of pictures at the nominal rate, and in MP4 that of decoding.
  const said = packets.find(({ pts }) => pts === last)?.duration ?? 0;
  const declared = Math.round(declaredLength(stream) / tick) - (last - first);
  const stated = declared > said + declaredRoundingSeconds / tick ? declared : said;
  if (stated > 0) return stated;
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  // The median: one long still picture would also lengthen the last picture of an average.
  return steps.toSorted((one, other) => one - other)[steps.length >> 1] ?? 1 / tick / 25;
}
