import { MalformedFile } from '../malformed-file.ts';
import { findBox, readBoxes, readUInt32 } from './box.ts';

/** Before the boxes of a `FullBox`: its version and flags. */
const fullBoxHeader = 4;

/** The one picture of an AVIF file (ISO/IEC 23000-22). */
export interface AvifPicture {
  width: number;
  height: number;
  /** Its stream of AV1, as far as it goes. */
  stream: Buffer;
}

/** Reads a file that has its picture in one piece, at the place that `iloc` says, as ffmpeg writes it. */
export function readAvif(bytes: Buffer): AvifPicture {
  const [fileType] = readBoxes(bytes);
  if (fileType?.type !== 'ftyp' || fileType.body.toString('latin1', 0, 4) !== 'avif') {
    throw new MalformedFile('an AVIF file that does not say so');
  }
  const meta = findBox(bytes, ['meta']).subarray(fullBoxHeader);
  const extents = findBox(meta, ['iprp', 'ipco', 'ispe']);
  const location = findBox(meta, ['iloc']);
  // Sizes of 4 bytes for offset and length, none for a base: 0x4400, then one item of one extent.
  if (location.length < 22 || location.readUInt16BE(4) !== 0x4400 || location.readUInt16BE(6) !== 1) {
    throw new MalformedFile('an AVIF file with more than one picture');
  }
  const [from, length] = [readUInt32(location, 14), readUInt32(location, 18)];
  const stream = bytes.subarray(from, from + length);
  if (stream.length !== length || length === 0) throw new MalformedFile('an AVIF file without its picture');
  return { width: readUInt32(extents, fullBoxHeader), height: readUInt32(extents, fullBoxHeader + 4), stream };
}
