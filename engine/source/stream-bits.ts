import type { Packet } from '../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../ffmpeg/rational.ts';
import type { Probed, ProbedStream } from '../ffmpeg/probed.ts';

/**
 * Bits per second of a stream; undefined if unknown. Matroska, FLAC and Opus state none. The only stream of a file, apart
 * from covers, gets the file's.
 */
export function bitsOf(
  stream: ProbedStream,
  { streams, format }: Pick<Probed, 'streams' | 'format'>,
): number | undefined {
  const isAlone = streams.every((other) => other === stream || other.disposition.attached_pic === 1);
  return stream.bit_rate ?? (isAlone ? format.bit_rate : undefined);
}

/** kbit/s of a stream; 0 if unknown. */
export function bitrateOf(stream: ProbedStream, probed: Pick<Probed, 'streams' | 'format'>): number {
  return Math.round((bitsOf(stream, probed) ?? 0) / 1000);
}

/** kbit/s of packets that last this long; 0 if they have no length. */
export function averageBitrate(packets: readonly Packet[], ticks: number, timeBase: Rational): number {
  const bytes = packets.reduce((sum, { size }) => sum + size, 0);
  return ticks > 0 ? Math.round((bytes * 8) / 1000 / (ticks * valueOf(timeBase))) : 0;
}
