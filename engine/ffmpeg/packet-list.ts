import { MediaError } from '../media-error.ts';
import { runProbe } from './probe.ts';

/** A packet of a stream; times are in the stream's time base. */
export interface Packet {
  pts: number | undefined;
  dts: number | undefined;
  duration: number | undefined;
  /** bytes */
  size: number;
  isKey: boolean;
  /** Players decode it, because others refer to it, and leave it out: an edit list begins behind it. */
  isHidden: boolean;
}

/** ffprobe's lines of them take about 25 bytes each. */
const maxListBytes = 512 * 1024 ** 2;

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined || text === 'N/A' ? undefined : Number(text);

/** `pts,dts,duration,size,flags` of ffprobe's CSV; undefined for what is no packet. */
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

/** The packets of one stream, in the order in which they lie in the file. Nothing is decoded. */
export async function listPackets(path: string, streamIndex: number, signal: AbortSignal): Promise<Packet[]> {
  const args = [
    '-select_streams',
    String(streamIndex),
    '-show_entries',
    'packet=pts,dts,duration,size,flags',
    '-of',
    'csv=p=0',
  ];
  const { stdout, failure } = await runProbe([...args, '-v', 'error'], path, signal, maxListBytes);
  const packets: Packet[] = [];
  for (let from = 0; from < stdout.length;) {
    const end = stdout.indexOf('\n', from);
    const to = end === -1 ? stdout.length : end;
    const packet = parsePacketLine(stdout.slice(from, to));
    if (packet !== undefined) packets.push(packet);
    from = to + 1;
  }
  // A file that breaks off in the middle has packets up to there.
  if (failure !== undefined && packets.length === 0) throw failure;
  if (packets.length > maxPackets) throw tooManyPictures(packets.length);
  return packets;
}

/** 24 hours at 30 frames a second, and some. */
const maxPackets = 3_000_000;

function tooManyPictures(count: number): MediaError {
  return new MediaError('undecodable_source', `The source has ${count} pictures, which is too many.`, {
    details: { maxFrames: maxPackets },
  });
}
