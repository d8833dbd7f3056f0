import { runProbe } from '../ffmpeg/probe.ts';
import type { SubtitlePacket } from '../source/subtitle-track.ts';

/** More lines of 50 bytes than any track has packets. */
const maxListBytes = 64 * 1024 ** 2;

/** Parses `pts,duration,hash` of ffprobe's CSV, in milliseconds; undefined for any other line. */
function parseLine(line: string): SubtitlePacket | undefined {
  const [startMs, duration, hash] = line.split(',');
  if (hash === undefined || !Number.isFinite(Number(startMs))) return undefined;
  return { startMs: Number(startMs), durationMs: Number(duration) || 0, hash };
}

/** Reads the packets of one stream of a Matroska file that Holdfast wrote. */
export async function readSubtitlePackets(path: string, index: number, signal: AbortSignal): Promise<SubtitlePacket[]> {
  const entries = ['-show_entries', 'packet=pts,duration,data_hash', '-show_data_hash', 'MD5'];
  const args = ['-v', 'error', '-select_streams', String(index), ...entries, '-of', 'csv=p=0'];
  const { stdout, failure } = await runProbe(args, path, signal, maxListBytes);
  if (failure !== undefined) throw failure;
  return stdout
    .split('\n')
    .map(parseLine)
    .filter((packet) => packet !== undefined);
}
