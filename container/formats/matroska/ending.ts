import { type Ending, maxElements } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';

/** An element's id (4 bytes at most) and size (8 at most): RFC 8794, 5 and 6. */
const headerBytes = 12;

/** RFC 9559, 5.1 */
const segmentId = 0x18_53_80_67;
const clusterId = 0x1f_43_b6_75;

/** How many bytes a number of variable length has, by its first; undefined where no such number begins so. */
function lengthOf(first: number): number | undefined {
  return first === 0 ? undefined : Math.clz32(first) - 23;
}

interface Element {
  id: number;
  headerSize: number;
  /** undefined: until the next element that cannot be in it */
  bodySize: number | undefined;
}

/** Undefined where no element begins, or not all of its header is there. */
export function readElement(bytes: Buffer): Element | undefined {
  const idLength = lengthOf(bytes[0] ?? 0);
  if (idLength === undefined || idLength > 4 || bytes.length <= idLength) return undefined;
  const first = bytes[idLength] ?? 0;
  const sizeLength = lengthOf(first);
  if (sizeLength === undefined || bytes.length < idLength + sizeLength) return undefined;
  let size = BigInt(first) & ((1n << BigInt(8 - sizeLength)) - 1n);
  for (let index = 1; index < sizeLength; index += 1) size = (size << 8n) | BigInt(bytes[idLength + index] ?? 0);
  const isUnknown = size === (1n << BigInt(7 * sizeLength)) - 1n;
  return {
    id: bytes.readUIntBE(0, idLength),
    headerSize: idLength + sizeLength,
    bodySize: isUnknown ? undefined : Number(size),
  };
}

/** Walks over the elements of the segment, and over those of clusters of unknown size, as browsers record them. */
async function findEnding(file: WindowedFile): Promise<Ending> {
  let hasSegment = false;
  let at = 0;
  for (let elements = 0; at < file.size && elements < maxElements; elements += 1) {
    const element = readElement(await file.read(at, headerBytes));
    // What is no element behind a whole one is junk or the rest of a header.
    if (element === undefined) return { kind: hasSegment && file.size - at < headerBytes ? 'cut' : 'unknown' };
    const { id, headerSize, bodySize } = element;
    const end = bodySize === undefined ? undefined : at + headerSize + bodySize;
    if (id === segmentId && end !== undefined) return { kind: end <= file.size ? 'whole' : 'cut' };
    hasSegment ||= id === segmentId;
    if (end !== undefined && end > file.size) return { kind: 'cut' };
    if (end === undefined && id !== segmentId && id !== clusterId) return { kind: 'unknown' };
    at = end ?? at + headerSize;
  }
  // A header alone that ends where the file ends was written by a recorder that knew no size.
  return { kind: 'unknown' };
}

export async function readMatroskaEnding(path: string): Promise<Ending> {
  return await WindowedFile.use(path, findEnding);
}
