import { MediaError } from '../../media-error.ts';
import { listLines, type Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/** Facts of a picture stream on which the times of its pictures depend. */
interface OrderedStream {
  path: string;
  index: number;
  /** ffprobe's name. */
  formatName: string;
  /** Pictures that the decoder holds back for reordering. */
  heldBack: number;
  timeBase: Rational;
  isInDecodingOrder?: true;
}

/** Packets at the start of a film that are decoded. */
const decodedPackets = 24;

const risesFrom = (before: number | undefined, time: number | undefined): boolean =>
  time !== undefined && (before === undefined || time > before);

/** Decodes the start of a film. True if the times of its pictures fall. */
async function showsFallingTimes(path: string, streamIndex: number, signal: AbortSignal): Promise<boolean> {
  const what = ['-select_streams', String(streamIndex), '-show_entries', 'frame=pts'];
  const parse = (line: string): number | undefined => (/^-?\d/.test(line) ? Number.parseInt(line, 10) : undefined);
  const times = await listLines(path, [...what, '-read_intervals', `%+#${decodedPackets}`], parse, signal);
  return !times.every((time, index) => risesFrom(times[index - 1], time));
}

/**
 * Recognises a file whose times are those of decoding, although the decoder reorders its pictures. ffmpeg makes one if
 * it copies B-frames from an AVI to MP4, or writes them into MXF.
 */
export async function describeOrder<Stream extends OrderedStream>(
  stream: Stream,
  packets: readonly Packet[],
  signal: AbortSignal,
): Promise<Stream> {
  const isRising = packets.every(({ pts }, index) => risesFrom(packets[index - 1]?.pts, pts));
  const isDoubtful = stream.heldBack > 0 && packets.length > 1 && isRising;
  if (!isDoubtful || !(await showsFallingTimes(stream.path, stream.index, signal))) return stream;
  return { ...stream, isInDecodingOrder: true };
}

/** The number of pictures reveals when they are shown only at a constant rate. */
export function noDisplayTimes(): MediaError {
  const problem =
    'The source states when its pictures are decoded, but not when they are shown, and their rate varies.';
  return new MediaError('unsupported_format', `${problem} Encode it from the file of which it is a copy.`);
}

/** Takes the times of such a file for those of decoding. */
export function withoutDisplayTimes(
  { isInDecodingOrder }: OrderedStream,
  packets: readonly Packet[],
): readonly Packet[] {
  if (!isInDecodingOrder) return packets;
  return packets.map((packet) => ({ ...packet, dts: packet.pts, pts: undefined }));
}

/**
 * Ticks from the decoding time of a picture until the decoder yields it, for a file that states only decoding times.
 * Plain ffmpeg shows a picture of ASF when it is yielded. AVI numbers its pictures, and the first one is shown at once.
 */
export function releaseTicks({ formatName, heldBack, timeBase }: OrderedStream, rate: Rational | undefined): number {
  return formatName === 'asf' && rate !== undefined ? Math.round(heldBack / (valueOf(rate) * valueOf(timeBase))) : 0;
}
