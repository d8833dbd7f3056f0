import { MediaError } from '../media-error.ts';
import { runProbe } from './probe.ts';

/** A packet of a stream. Times are in the stream's time base. */
export interface Packet {
  pts: number | undefined;
  dts: number | undefined;
  duration: number | undefined;
  /** Bytes. */
  size: number;
  isKey: boolean;
  /** True if players decode the packet because others refer to it, but do not show it: an edit list starts after it. */
  isHidden: boolean;
}

/** ffprobe prints about 25 bytes per packet. */
const maxListBytes = 512 * 1024 ** 2;

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined || text === 'N/A' ? undefined : Number(text);

/** Parses `pts,dts,duration,size,flags` of ffprobe's CSV; undefined for any other line. */
export function parsePacketLine(line: string): Packet | undefined {
  const [pts, dts, duration, size, flags] = line.split(',');
  if (flags === undefined) return undefined;
  return {
    pts: numberOf(pts),
    dts: numberOf(dts),
    duration: numberOf(duration),
    size: Number(size),
    isKey: flags.startsWith('K'),
    isHidden: flags.includes('D'),
  };
}

/** Lists the packets of one stream in file order. Nothing is decoded. */
export async function listPackets(path: string, streamIndex: number, signal: AbortSignal): Promise<Packet[]> {
  const entries = ['-show_entries', 'packet=pts,dts,duration,size,flags'];
  return await listLines(path, ['-select_streams', String(streamIndex), ...entries], parsePacketLine, signal);
}

/** Lists the packets in ffprobe's CSV, which has one packet a line. */
export async function listLines<Listed>(
  path: string,
  options: readonly string[],
  parse: (line: string) => Listed | undefined,
  signal: AbortSignal,
): Promise<Listed[]> {
  const args = [...options, '-of', 'csv=p=0', '-v', 'error'];
  const { stdout, failure } = await runProbe(args, path, signal, maxListBytes);
  const packets: Listed[] = [];
  for (let from = 0; from < stdout.length;) {
    const end = stdout.indexOf('\n', from);
    const to = end === -1 ? stdout.length : end;
    const packet = parse(stdout.slice(from, to));
    if (packet !== undefined) packets.push(packet);
    from = to + 1;
  }
  // A truncated file has packets up to the break.
  if (failure !== undefined && packets.length === 0) throw failure;
  if (packets.length > maxPackets) throw tooManyPictures(packets.length);
  return packets;
}

/** More than 24 hours at 30 frames per second. */
export const maxPackets = 3_000_000;

function tooManyPictures(count: number): MediaError {
  return new MediaError('undecodable_source', `The source has ${count} pictures, and the limit is ${maxPackets}.`, {
    details: { maxFrames: maxPackets },
  });
}
