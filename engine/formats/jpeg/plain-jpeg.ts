import { readOrientation, type Orientation } from './orientation.ts';

export interface PlainJpeg {
  /** The picture without the file's other content. */
  bytes: Buffer;
  orientation: Orientation;
}

const markers = { startOfImage: 0xd8, endOfImage: 0xd9, startOfScan: 0xda, exif: 0xe1, comment: 0xfe } as const;

/** Segments that decoders need: JFIF, the colour profile, and Adobe's marker for CMYK. */
const keptApplicationData: ReadonlySet<number> = new Set([0xe0, 0xe2, 0xee]);

function isKept(marker: number): boolean {
  const isApplicationData = marker >= 0xe0 && marker <= 0xef;
  return marker !== markers.comment && (!isApplicationData || keptApplicationData.has(marker));
}

/**
 * Extracts the picture of a JPEG file, without Exif (which may reveal where a photograph was taken), comments, or bytes
 * after its end. Returns undefined if its segments are malformed (ITU-T T.81, B.1).
 */
export function extractPlainJpeg(file: Buffer): PlainJpeg | undefined {
  if (file.length < 4 || file[0] !== 0xff || file[1] !== markers.startOfImage) return undefined;
  const kept = [file.subarray(0, 2)];
  let orientation: Orientation = 1;
  for (let at = 2; at + 2 <= file.length;) {
    const marker = file[at + 1] ?? 0;
    if (file[at] !== 0xff) return undefined;
    if (marker === markers.endOfImage) {
      return { bytes: Buffer.concat([...kept, file.subarray(at, at + 2)]), orientation };
    }
    if (at + 4 > file.length) return undefined;
    const headerEnd = at + 2 + file.readUInt16BE(at + 2);
    const end = marker === markers.startOfScan ? findScanEnd(file, headerEnd) : headerEnd;
    if (end > file.length) return undefined;
    if (marker === markers.exif) orientation = readOrientation(file.subarray(at + 4, end)) ?? orientation;
    if (isKept(marker)) kept.push(file.subarray(at, end));
    at = end;
  }
  return undefined;
}

/**
 * Finds the marker that ends the data of a scan. Within the data, 0xff is followed by 0 or by a restart marker only.
 */
function findScanEnd(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    const isOfScan = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isOfScan) return at;
  }
  return file.length;
}
