import { listLines, parsePacketLine, type Packet } from './packet-list.ts';
import { sampledPackets } from './sound-starts.ts';

/** Bytes of a packet in its file. */
export interface PacketPlace {
  position: number;
  /** Bytes. */
  size: number;
}

export type PlacedPacket = Packet & PacketPlace;

/** ffprobe must not look into the packets: their bytes may be missing. The index of the file states everything else. */
const fromIndex = ['-fflags', '+noparse+nofillin'];

/** Parses `pts,dts,duration,size,position,flags` of ffprobe's CSV. */
function parsePlacedLine(line: string): PlacedPacket | undefined {
  const [pts, dts, duration, size, position, flags] = line.split(',');
  const packet = parsePacketLine([pts, dts, duration, size, flags].join(','));
  return packet === undefined || flags === undefined ? undefined : { ...packet, position: Number(position) };
}

/**
 * Lists the packets of one stream of an MP4 or MOV file by its index, in file order. The packets themselves need not be
 * present. A place that the index does not state is NaN.
 */
export async function listPlacedPackets(
  path: string,
  streamIndex: number,
  signal: AbortSignal,
): Promise<PlacedPacket[]> {
  const entries = ['-show_entries', 'packet=pts,dts,duration,size,pos,flags'];
  return await listLines(
    path,
    [...fromIndex, '-select_streams', String(streamIndex), ...entries],
    parsePlacedLine,
    signal,
  );
}

/** Seconds and bytes that ffprobe reads at most to identify the streams. */
const identified = { seconds: 5, bytes: 5_000_000 };

/** Lists the packets that ffprobe reads to describe a file. */
export async function listFirstPlaces(path: string, signal: AbortSignal): Promise<PacketPlace[]> {
  const list = (options: readonly string[]): Promise<PacketPlace[]> =>
    listLines(path, [...fromIndex, ...options, '-show_entries', 'packet=size,pos'], parsePlace, signal);
  const places = await list(['-read_intervals', `%+${identified.seconds}`]);
  let bytes = 0;
  const read = places.filter(({ size }) => {
    bytes += size;
    return bytes - size < identified.bytes;
  });
  return [...read, ...(await list(['-select_streams', 'a', '-read_intervals', `%+#${sampledPackets}`]))];
}

function parsePlace(line: string): PacketPlace | undefined {
  const [size, position] = line.split(',').map(Number);
  return size === undefined || position === undefined ? undefined : { size, position };
}
