/** Orientation of the camera (Exif 2.32, 4.6.5 A). 1 is upright; other values turn or mirror the picture. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const exifMark = Buffer.from('Exif\0\0', 'latin1');
const orientationTag = 0x0112;
const entryBytes = 12;

/** Reads the content of an APP1 segment; undefined if it holds no orientation. */
export function readOrientation(segment: Buffer): Orientation | undefined {
  if (!segment.subarray(0, exifMark.length).equals(exifMark)) return undefined;
  const tiff = segment.subarray(exifMark.length);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  if (tiff.length < 8) return undefined;
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const count = read16(directory);
  for (let index = 0; index < count; index += 1) {
    const entry = directory + 2 + index * entryBytes;
    if (read16(entry) !== orientationTag) continue;
    const value = read16(entry + 8);
    return value >= 1 && value <= 8 ? (value as Orientation) : undefined;
  }
  return undefined;
}
