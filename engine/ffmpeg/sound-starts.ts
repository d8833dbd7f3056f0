import { runProbe } from './probe.ts';

/** Enough for the first of each stream, also where the streams lie in blocks one after the other. */
const sampledPackets = 200;
const maxBytes = 1024 ** 2;

/**
 * Seconds on the file's clock at which the first sample of each audio stream is heard, by the stream's index. Its first packet says
 * something else: an encoder's delay is before the sound (in Matroska that of Opus, 6.5 ms, and of Vorbis), and a recording may begin
 * with the rest of a packet that nobody can decode. A stream that begins later than the first packets is missing.
 */
export async function readSoundStarts(path: string, signal: AbortSignal): Promise<Map<number, number>> {
  const args = [
    ...['-v', 'error', '-select_streams', 'a', '-read_intervals', `%+#${sampledPackets}`],
    ...['-show_entries', 'frame=stream_index,best_effort_timestamp_time', '-of', 'csv=p=0'],
  ];
  const { stdout } = await runProbe(args, path, signal, maxBytes);
  return parseSoundStarts(stdout);
}

/** `stream index,seconds` of each frame; the first of a stream that says when it is heard (pure). */
export function parseSoundStarts(lines: string): Map<number, number> {
  const starts = new Map<number, number>();
  for (const line of lines.split('\n')) {
    const [index = '', seconds = ''] = line.split(',');
    if (!/^\d+$/.test(index) || starts.has(Number(index)) || !/^-?[\d.]+$/.test(seconds)) continue;
    starts.set(Number(index), Number(seconds));
  }
  return starts;
}

/** Seconds on a file's clock, of its first stream of sound. */
export interface SoundBeginning {
  /** of the first packet, of whose samples some or all are not heard */
  firstPacket: number;
  /** of the first sample that is */
  heard: number;
}

/** Of a file that was made here. */
export async function readSoundBeginning(path: string, signal: AbortSignal): Promise<SoundBeginning> {
  const args = [
    ...['-v', 'error', '-select_streams', 'a:0', '-read_intervals', '%+#8', '-of', 'csv'],
    ...['-show_packets', '-show_frames', '-show_entries', 'packet=pts_time:frame=best_effort_timestamp_time'],
  ];
  const { stdout, failure } = await runProbe(args, path, signal, maxBytes);
  if (failure !== undefined) throw failure;
  return parseSoundBeginning(stdout);
}

/** `packet,seconds` and `frame,seconds` (pure). */
export function parseSoundBeginning(lines: string): SoundBeginning {
  const secondsOf = (kind: string): number => Number(new RegExp(`^${kind},(-?[\\d.]+)`, 'm').exec(lines)?.[1] ?? 0);
  return { firstPacket: secondsOf('packet'), heard: secondsOf('frame') };
}
