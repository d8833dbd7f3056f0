import { runProbe } from './probe.ts';
import type { Probed } from './probed.ts';

/** Covers the first packets of each stream, even if the streams are stored in consecutive blocks. */
export const sampledPackets = 200;

/** Packets of one stream that reveal its start. */
const firstSampled = 8;

const maxBytes = 1024 ** 2;

/** Audio streams with the time of their first packet on the file's clock, in seconds; undefined without packets. */
export function firstPackets({ streams, emptySounds }: Probed): { index: number; startSeconds: number | undefined }[] {
  return streams
    .filter(({ codec_type }) => codec_type === 'audio')
    .map(({ index, start_time: start = 0 }) => ({
      index,
      startSeconds: emptySounds?.has(index) === true ? undefined : start,
    }));
}

/**
 * Time in seconds on the file's clock at which the first sample of each of these streams is heard, by stream index. The
 * first packet's time can differ: it may precede the sound by an encoder's delay (in Matroska: 6.5 ms of Opus, and
 * Vorbis), and a recording may start in the middle of a packet that cannot be decoded. A stream without sound is absent.
 */
export async function readSoundStarts(
  path: string,
  streams: readonly number[],
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const starts = await readFrameStarts(path, 'a', sampledPackets, signal);
  // One stream may start when another has had all sampled packets.
  for (const index of streams.filter((stream) => !starts.has(stream))) {
    for (const [stream, start] of await readFrameStarts(path, String(index), firstSampled, signal)) {
      starts.set(stream, start);
    }
  }
  return starts;
}

async function readFrameStarts(
  path: string,
  streams: string,
  packets: number,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const args = [
    ...['-v', 'error', '-select_streams', streams, '-read_intervals', `%+#${packets}`],
    ...['-show_entries', 'frame=stream_index,best_effort_timestamp_time', '-of', 'csv=p=0'],
  ];
  const { stdout } = await runProbe(args, path, signal, maxBytes);
  return parseSoundStarts(stdout);
}

/** Parses `stream index,seconds` per frame and keeps the first timed frame of each stream. */
export function parseSoundStarts(lines: string): Map<number, number> {
  const starts = new Map<number, number>();
  for (const line of lines.split('\n')) {
    const [index = '', seconds = ''] = line.split(',');
    if (!/^\d+$/.test(index) || starts.has(Number(index)) || !/^-?[\d.]+$/.test(seconds)) continue;
    starts.set(Number(index), Number(seconds));
  }
  return starts;
}

/** Times in seconds on a file's clock, of its first audio stream. */
export interface SoundBeginning {
  /** Time of the first packet; some or all of its samples are not heard. */
  firstPacket: number;
  /** Time of the first audible sample. */
  heard: number;
}

/** Reads the start of the sound in a file that Holdfast wrote. */
export async function readSoundBeginning(path: string, signal: AbortSignal): Promise<SoundBeginning> {
  const args = [
    ...['-v', 'error', '-select_streams', 'a:0', '-read_intervals', '%+#8', '-of', 'csv'],
    ...['-show_packets', '-show_frames', '-show_entries', 'packet=pts_time:frame=best_effort_timestamp_time'],
  ];
  const { stdout, failure } = await runProbe(args, path, signal, maxBytes);
  if (failure !== undefined) throw failure;
  return parseSoundBeginning(stdout);
}

/** Parses `packet,seconds` and `frame,seconds`. */
export function parseSoundBeginning(lines: string): SoundBeginning {
  const secondsOf = (kind: string): number => Number(new RegExp(`^${kind},(-?[\\d.]+)`, 'm').exec(lines)?.[1] ?? 0);
  return { firstPacket: secondsOf('packet'), heard: secondsOf('frame') };
}
