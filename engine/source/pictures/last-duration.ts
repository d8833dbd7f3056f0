import type { Packet } from '../../ffmpeg/packet-list.ts';
import type { ProbedStream } from '../../ffmpeg/probed.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import type { Ending } from '../../formats/ending.ts';

/** MP4 and Matroska declare lengths in milliseconds. */
const declaredRoundingSeconds = 0.001;

interface DeclaredLength {
  /** Seconds from the first picture to the end. */
  declaredSeconds: number | undefined;
  ending: Ending['kind'];
  /** ffprobe's name. */
  formatName: string;
}

/** Seconds on the file's clock at which the pictures end, if the file has its end and declares it for them alone. */
export function declaredEnd(
  { start_time: start = 0 }: ProbedStream,
  { declaredSeconds: seconds, ending, formatName }: DeclaredLength,
): number | undefined {
  if (seconds === undefined || ending !== 'whole') return undefined;
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
  // This duration is nominal in Matroska, and in MP4 it is that of decoding.
  const said = packets.find(({ pts }) => pts === last)?.duration ?? 0;
  const declared = Math.round(declaredEndSeconds / tick) - last;
  const stated = declared > said + declaredRoundingSeconds / tick ? declared : said;
  if (stated > 0) return stated;
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  // The median: one long still picture would also lengthen the last picture of an average.
  return steps.toSorted((one, other) => one - other)[steps.length >> 1] ?? 1 / tick / 25;
}
