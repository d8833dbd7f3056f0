import { listLines } from '../../ffmpeg/packet-list.ts';
import type { ProbedStream } from '../../ffmpeg/probed.ts';

/** Codecs whose transparency WebM stores beside the pictures. ffmpeg also tags FFV1 in yuva420p. */
const alphaBesideCodecs: ReadonlySet<string> = new Set(['vp8', 'vp9']);

/** Whether WebM stores transparency beside the pictures. ffmpeg writes the tag in capitals where it copies a WebM. */
export function hasAlphaBeside({ codec_name: codec, tags }: ProbedStream): boolean {
  return alphaBesideCodecs.has(codec) && (tags['alpha_mode'] ?? tags['ALPHA_MODE']) === '1';
}

/** ffprobe's name of what Matroska stores beside a packet. */
const besidePacket = 'Matroska BlockAdditional';

/**
 * Whether any packet has something beside it. ffmpeg also copies the tag where it encodes the pictures again without
 * their transparency.
 */
export async function storesAlphaBeside(path: string, streamIndex: number, signal: AbortSignal): Promise<boolean> {
  const entries = ['-show_entries', 'packet=size:packet_side_data=side_data_type'];
  // An empty line follows a packet that has something beside it.
  const parse = (line: string): boolean | undefined => (line === '' ? undefined : line.includes(besidePacket));
  const packets = await listLines(path, ['-select_streams', String(streamIndex), ...entries], parse, signal);
  return packets.includes(true);
}
