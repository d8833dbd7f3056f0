import { partProbeGuards } from './guards.ts';
import { runProbe } from './probe.ts';

/** Ticks of a file's streams, which share one time base. */
export interface PacketSpan {
  /** Start of the first picture or sound. */
  start: number;
  /** End of the last one. */
  end: number;
}

/** A part of a file, with the sample rate and the channels of each of its audio streams. */
export interface PartSpan extends PacketSpan {
  sounds: readonly string[];
}

/** ffprobe prints about 30 bytes per packet. */
const maxListBytes = 512 * 1024 ** 2;

/** Reads when pictures and sound of a part of a file start and end; undefined if it has none. */
export async function readPacketSpan(
  input: string,
  demuxer: string,
  signal: AbortSignal,
): Promise<PartSpan | undefined> {
  const entries = 'packet=codec_type,stream_index,pts,duration,size:stream=index,codec_type,sample_rate,channels';
  const args = ['-v', 'error', '-show_entries', entries, '-of', 'csv'];
  const { stdout } = await runProbe(args, input, signal, maxListBytes, partProbeGuards(demuxer));
  return parsePacketSpan(stdout);
}

interface StreamSpan extends PacketSpan {
  last: number;
  packets: number;
  /** Duration of the last packet; zero if it is unknown. */
  duration: number;
  isSound: boolean;
  /** Bytes of the last packet, and of the largest one. */
  size: number;
  largest: number;
}

/** Parses `packet,kind,stream index,pts,duration,size`, and `stream,index,kind,sample rate,channels`, which ffprobe repeats for each program. */
export function parsePacketSpan(lines: string): PartSpan | undefined {
  const streams = new Map<string, StreamSpan>();
  const sounds = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const [section, one = '', other = '', ...values] = line.split(',');
    if (section === 'stream' && other === 'audio') sounds.set(one, values.join(' '));
    const [kind, index, shown = '', lasting = '', bytes = ''] = [one, other, ...values];
    if (section !== 'packet' || !/^(?:audio|video)$/.test(kind) || !/^-?\d+$/.test(shown)) continue;
    const [start, duration, size] = [Number(shown), /^\d+$/.test(lasting) ? Number(lasting) : 0, Number(bytes)];
    const empty = { start, end: start, last: -Infinity, packets: 0, duration: 0, size: 0, largest: 0 };
    const stream = streams.get(index) ?? { ...empty, isSound: kind === 'audio' };
    if (start > stream.last) Object.assign(stream, { last: start, duration, size });
    stream.start = Math.min(stream.start, start);
    stream.end = Math.max(stream.end, start + duration);
    stream.largest = Math.max(stream.largest, size);
    stream.packets += 1;
    streams.set(index, stream);
  }
  const spans = [...streams.values()];
  if (spans.length === 0) return undefined;
  return {
    start: Math.min(...spans.map(({ start }) => start)),
    end: Math.max(...spans.map(endOf)),
    sounds: [...sounds.values()],
  };
}

/**
 * A last packet without a duration lasts as long as the others do on average. Sound without durations is uncompressed:
 * a smaller last packet lasts less.
 */
function endOf({ start, end, last, packets, duration, isSound, size, largest }: StreamSpan): number {
  if (duration > 0 || packets < 2) return end;
  const share = isSound ? size / largest : 1;
  return last + Math.floor(((last - start) / (packets - 1)) * share);
}
