import type { Packet } from '../../ffmpeg/packet-list.ts';
import type { Probed, ProbedStream } from '../../ffmpeg/probed.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import type { Ending } from '../../formats/ending.ts';
import { declaredLength } from '../declared-length.ts';

/** MP4 and Matroska declare lengths in milliseconds. */
const declaredRoundingSeconds = 0.001;

/** Seconds on the file's clock at which the pictures end, if the file has its end and declares it for them alone. */
export function declaredEnd(probed: Probed, stream: ProbedStream, ending: Ending): number | undefined {
  const { format_name: formatName } = probed.format;
  const seconds = ending.kind === 'whole' ? declaredLength(probed, stream, ending) : undefined;
  if (seconds === undefined) return undefined;
  const { start_time: start = 0 } = stream;
  if (formatName.startsWith('mov')) return start + seconds;
  return formatName.startsWith('matroska') ? Math.max(0, start) + seconds : undefined;
}

/** Duration of the last picture in ticks: as declared, else that of other pictures. */
export function lastDuration(
  { timeBase, declaredEndSeconds = 0 }: { timeBase: Rational; declaredEndSeconds?: number | undefined },
  packets: readonly Packet[],
  times: readonly number[],
  rate: Rational | undefined,
): number {
  const tick = valueOf(timeBase);
  if (rate !== undefined) return 1 / (valueOf(rate) * tick);
  const last = times.at(-1) ?? 0;
  // In Matroska, this is the distance of pictures at the nominal rate, and in MP4 that of decoding.
  const said = packets.find(({ pts }) => pts === last)?.duration ?? 0;
  const declared = Math.round(declaredEndSeconds / tick) - last;
  const stated = declared > said + declaredRoundingSeconds / tick ? declared : said;
  if (stated > 0) return stated;
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  // The median: one long still picture would also lengthen the last picture of an average.
  return steps.toSorted((one, other) => one - other)[steps.length >> 1] ?? 1 / tick / 25;
}
