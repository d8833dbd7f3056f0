import { MalformedFile } from '../malformed-file.ts';
import { findBox, readBoxes, readUInt32 } from './box.ts';

/** Version and flags of a `FullBox`, which precede its boxes. */
const fullBoxHeader = 4;

/** The one picture of an AVIF file (ISO/IEC 23000-22). */
export interface AvifPicture {
  width: number;
  height: number;
  /** The picture's AV1 stream; it may be incomplete. */
  stream: Buffer;
}

/** Reads a file whose picture is one extent at the offset in `iloc`, as ffmpeg writes it. */
export function readAvif(bytes: Buffer): AvifPicture {
  const [fileType] = readBoxes(bytes);
  if (fileType?.type !== 'ftyp' || fileType.body.toString('latin1', 0, 4) !== 'avif') {
    throw new MalformedFile('an AVIF file that does not say so');
  }
  const meta = findBox(bytes, ['meta']).subarray(fullBoxHeader);
  const extents = findBox(meta, ['iprp', 'ipco', 'ispe']);
  const location = findBox(meta, ['iloc']);
  // 0x4400 means 4-byte offsets and lengths without a base. One item with one extent must follow.
  if (location.length < 22 || location.readUInt16BE(4) !== 0x4400 || location.readUInt16BE(6) !== 1) {
    throw new MalformedFile('an AVIF file with more than one picture');
  }
  const [from, length] = [readUInt32(location, 14), readUInt32(location, 18)];
  const stream = bytes.subarray(from, from + length);
  if (stream.length !== length || length === 0) throw new MalformedFile('an AVIF file without its picture');
  return { width: readUInt32(extents, fullBoxHeader), height: readUInt32(extents, fullBoxHeader + 4), stream };
}
