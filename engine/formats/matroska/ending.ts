import { type Ending, maxElements } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';
import { clusterId, headerBytes, readElement, segmentId } from './element.ts';

/** Walks the elements of the segment and of clusters of unknown size, which browsers record. */
async function findEnding(file: WindowedFile): Promise<Ending> {
  let hasSegment = false;
  let at = 0;
  for (let elements = 0; at < file.size && elements < maxElements; elements += 1) {
    const element = readElement(await file.read(at, headerBytes));
    // Bytes after a whole element that are no element are junk or an incomplete header.
    if (element === undefined) return { kind: hasSegment && file.size - at < headerBytes ? 'cut' : 'unknown' };
    const { id, headerSize, bodySize } = element;
    const end = bodySize === undefined ? undefined : at + headerSize + bodySize;
    if (id === segmentId && end !== undefined) return { kind: end <= file.size ? 'whole' : 'cut' };
    hasSegment ||= id === segmentId;
    if (end !== undefined && end > file.size) return { kind: 'cut' };
    if (end === undefined && id !== segmentId && id !== clusterId) return { kind: 'unknown' };
    at = end ?? at + headerSize;
  }
  // A recorder that did not know the size wrote only a header, which ends where the file ends.
  return { kind: 'unknown' };
}

export async function readMatroskaEnding(path: string): Promise<Ending> {
  return await WindowedFile.use(path, findEnding);
}
