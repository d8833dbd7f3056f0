import { type Ending, maxElements } from '../ending.ts';
import { MalformedFile } from '../malformed-file.ts';
import { WindowedFile } from '../windowed-file.ts';
import { boxHeaderSize, findBox, longHeaderSize, readBoxes, readBoxHeader } from './box.ts';
import { readTimescale, readUInt32, readUInt64 } from './box.ts';

/** A longer `moov` or `sidx` is not read. The `moov` of a fragmented file is short. */
const maxMovieBytes = 16 * 1024 ** 2;

/**
 * Total seconds of all fragments if the file declares them (`mehd`: ISO/IEC 14496-12, 8.8.2); undefined if the file is
 * not fragmented.
 */
function fragmentedSeconds(movie: Buffer): number | 'none' | undefined {
  const fragments = readBoxes(movie).find(({ type }) => type === 'mvex');
  if (fragments === undefined) return undefined;
  const header = readBoxes(fragments.body).find(({ type }) => type === 'mehd')?.body;
  const timescale = readTimescale(findBox(movie, ['mvhd']));
  if (header === undefined || timescale === 0) return 'none';
  const duration = header[0] === 1 ? readUInt64(header, 4) : readUInt32(header, 4);
  return duration === 0 ? 'none' : duration / timescale;
}

/** Adds the seconds of a stream's segment index (`sidx`: 8.16.3). A cut file lacks indexes to which others refer. */
function addIndexedSeconds(body: Buffer, fragments: Map<number, number>, indexed: Map<number, number>): void {
  const [id, timescale] = [readUInt32(body, 4), readUInt32(body, 8)];
  const first = (body[0] === 1 ? 28 : 20) + 4;
  const end = first + (readUInt32(body, first - 4) % 0x1_00_00) * 12;
  let [ticks, fragmentTicks] = [0, 0];
  for (let at = first; at < end; at += 12) {
    ticks += readUInt32(body, at + 4);
    // The top bit marks a reference to another index, which has the same seconds.
    if (readUInt32(body, at) < 2 ** 31) fragmentTicks += readUInt32(body, at + 4);
  }
  if (timescale === 0) return;
  const total = (fragments.get(id) ?? 0) + fragmentTicks / timescale;
  fragments.set(id, total);
  indexed.set(id, Math.max(indexed.get(id) ?? 0, total, ticks / timescale));
}

async function findEnding(file: WindowedFile): Promise<Ending> {
  /** Undefined if the file is not fragmented; ffprobe then knows its length. */
  let fragmented: number | 'none' | undefined;
  const [fragments, indexedSeconds] = [new Map<number, number>(), new Map<number, number>()];
  let hasMovie = false;
  let last = '';
  const ending = (kind: Ending['kind']): Ending =>
    fragmented === undefined ? { kind } : { kind, declaredSeconds: fragmented, indexedSeconds };
  for (let at = 0, boxes = 0; at < file.size && boxes < maxElements; boxes += 1) {
    const header = await file.read(at, longHeaderSize);
    // These are fewer bytes than any box has. A type that is not printable is junk after a whole file.
    if (header.length < boxHeaderSize) return ending('cut');
    const { type, size } = readBoxHeader(header);
    if (!/^[ -~\xa9]{4}$/.test(type)) return ending('unknown');
    if (size === undefined || size < boxHeaderSize) return ending('unknown');
    if (at + size > file.size) return ending('cut');
    hasMovie ||= type === 'moov';
    if ((type === 'moov' || type === 'sidx') && size <= maxMovieBytes) {
      const body = await file.read(at + boxHeaderSize, size - boxHeaderSize);
      if (type === 'moov') fragmented = fragmentedSeconds(body);
      else addIndexedSeconds(body, fragments, indexedSeconds);
    }
    last = type;
    at += size;
  }
  if (!hasMovie) return ending('unknown');
  if (fragmented === undefined) return ending('whole');
  // An index of all fragments may follow the last one. A fragment's header without its samples is incomplete.
  return ending(last === 'mfra' ? 'whole' : last === 'moof' ? 'cut' : 'unknown');
}

export async function readIsobmffEnding(path: string): Promise<Ending> {
  try {
    return await WindowedFile.use(path, findEnding);
  } catch (error) {
    if (error instanceof MalformedFile) return { kind: 'unknown' };
    throw error;
  }
}
