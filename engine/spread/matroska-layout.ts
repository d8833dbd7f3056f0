import { maxElements } from '../formats/ending.ts';
import { WindowedFile } from '../formats/windowed-file.ts';
import { clusterId, headerBytes, readElement, segmentId } from '../formats/matroska/element.ts';
import type { ByteRange } from './byte-ranges.ts';

/** Parts of a Matroska file that have packets, and all other parts. Both lists are in the order of the file. */
export interface MatroskaLayout {
  clusters: ByteRange[];
  others: ByteRange[];
}

/** An element that readers skip (RFC 8794, 11.3.2). */
const voidId = 0xec;

/**
 * Elements of a cluster: `Timestamp`, `SimpleBlock`, `BlockGroup`, `Position`, `PrevSize`, `CRC-32`, `Void`
 * (RFC 9559, 5.1.3; RFC 8794, 11.3). A cluster of unknown size ends before any other element.
 */
const inClusters: ReadonlySet<number> = new Set([0xe7, 0xa3, 0xa0, 0xa7, 0xab, 0xbf, voidId]);

/** Only the headers of most clusters are read. */
const windowBytes = 64 * 1024;

/** Returns undefined for a file that is cut off or damaged, and for one of several segments. */
export async function readMatroskaLayout(path: string): Promise<MatroskaLayout | undefined> {
  return await WindowedFile.use(path, findLayout, windowBytes);
}

async function findLayout(file: WindowedFile): Promise<MatroskaLayout | undefined> {
  const clusters: ByteRange[] = [];
  const others: ByteRange[] = [];
  let hasSegment = false;
  let isInCluster = false;
  let at = 0;
  for (let elements = 0; at < file.size; elements += 1) {
    const element = elements < maxElements ? readElement(await file.read(at, headerBytes)) : undefined;
    if (element === undefined) return undefined;
    const { id, headerSize, bodySize } = element;
    const hasNoEnd = bodySize === undefined || id === segmentId;
    if (hasNoEnd && id !== segmentId && id !== clusterId) return undefined;
    const end = at + headerSize + (hasNoEnd ? 0 : bodySize);
    if (end > file.size || (id === segmentId && hasSegment)) return undefined;
    hasSegment ||= id === segmentId;
    isInCluster &&= inClusters.has(id);
    const cluster = clusters.at(-1);
    if (isInCluster && cluster !== undefined) cluster.end = end;
    else if (id === clusterId) clusters.push({ from: at, end });
    else if (id !== voidId) others.push({ from: at, end });
    isInCluster ||= id === clusterId && hasNoEnd;
    at = end;
  }
  return clusters.length === 0 ? undefined : { clusters, others };
}

/** Header of a `Void` element that fills this number of bytes. */
export function buildVoidHeader(bytes: number): Buffer {
  if (bytes < 2) throw new RangeError('An element has at least two bytes');
  // A size of eight bytes has only one bit of its first byte set.
  if (bytes < 9) return Buffer.from([voidId, 0x80 | (bytes - 2)]);
  const header = Buffer.alloc(9);
  header.writeUInt8(voidId);
  header.writeBigUInt64BE((1n << 56n) | BigInt(bytes - 9), 1);
  return header;
}
