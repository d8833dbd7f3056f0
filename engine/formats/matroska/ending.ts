import { type Ending, maxElements } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';
import { clusterId, headerBytes, readElement, segmentId } from './element.ts';

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
