import { maxElements } from '../formats/ending.ts';
import { WindowedFile } from '../formats/windowed-file.ts';
import { boxHeaderSize } from '../formats/isobmff/box.ts';

/** Size and type of a box, and a 64-bit size. */
const headerBytes = 16;

/** Types that begin an MP4 or MOV file, old MOV files without `ftyp` included. */
const firstTypes: ReadonlySet<string> = new Set(['ftyp', 'wide', 'mdat', 'free', 'skip', 'pnot', 'moov']);

/**
 * Tells whether an MP4 or MOV file lacks its index, which recorders write last. Undefined if the index is present, or if
 * the file is of another format.
 */
export async function findMissingIndex(path: string): Promise<'missing' | 'incomplete' | undefined> {
  return await WindowedFile.use(path, async (file) => {
    if (file.size < boxHeaderSize) return undefined;
    for (let at = 0, boxes = 0; at < file.size && boxes < maxElements; boxes += 1) {
      const header = await file.read(at, headerBytes);
      if (header.length < boxHeaderSize) break;
      const [size32, type] = [header.readUInt32BE(0), header.toString('latin1', 4, boxHeaderSize)];
      if (at === 0 && !firstTypes.has(type)) return undefined;
      // 1 means that a 64-bit size follows; 0 means that the box extends to the end of the file.
      const size = size32 === 1 && header.length === headerBytes ? Number(header.readBigUInt64BE(8)) : size32;
      if (type === 'moov') return at + size > file.size ? 'incomplete' : undefined;
      if (size === 0) break;
      if (size < boxHeaderSize) return undefined;
      at += size;
    }
    return 'missing';
  });
}
