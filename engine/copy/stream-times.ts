import { listPackets } from '../ffmpeg/packet-list.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import { parseRational, valueOf } from '../ffmpeg/rational.ts';

/** Playback times of the packets of an audio stream in seconds, in order. */
export interface PacketTimes {
  starts: number[];
  /** Excludes packets that are not played. */
  shownStart: number;
  end: number;
  bytes: number;
}

export async function readPacketTimes(path: string, track: number, signal: AbortSignal): Promise<PacketTimes> {
  const { streams } = await probeFile(path, { signal });
  const stream = streams.filter(({ codec_type }) => codec_type === 'audio')[track];
  const tick = valueOf(parseRational(stream?.time_base) ?? { num: 1, den: 1 });
  const packets = stream === undefined ? [] : await listPackets(path, stream.index, signal);
  const last = packets.at(-1);
  return {
    starts: packets.map(({ pts = NaN }) => pts * tick),
    shownStart: (packets.find(({ isHidden }) => !isHidden)?.pts ?? NaN) * tick,
    end: ((last?.pts ?? NaN) + (last?.duration ?? 0)) * tick,
    bytes: packets.reduce((sum, { size }) => sum + size, 0),
  };
}
