import { maxElements } from '../formats/ending.ts';
import { WindowedFile } from '../formats/windowed-file.ts';
import { boxHeaderSize, longHeaderSize, readBoxHeader } from '../formats/isobmff/box.ts';

/** Types that begin an MP4 or MOV file, old MOV files without `ftyp` included. */
export const firstTypes: ReadonlySet<string> = new Set(['ftyp', 'wide', 'mdat', 'free', 'skip', 'pnot', 'moov']);

/**
 * Checks whether an MP4 or MOV file has its index, which recorders write last. Undefined if the index is present, or if
 * the file is of another format.
 */
export async function findMissingIndex(path: string): Promise<'missing' | 'incomplete' | undefined> {
  return await WindowedFile.use(path, async (file) => {
    if (file.size < boxHeaderSize) return undefined;
    for (let at = 0, boxes = 0; at < file.size && boxes < maxElements; boxes += 1) {
      const header = await file.read(at, longHeaderSize);
      if (header.length < boxHeaderSize) break;
      const { type, size = 0 } = readBoxHeader(header);
      if (at === 0 && !firstTypes.has(type)) return undefined;
      if (type === 'moov') return at + size > file.size ? 'incomplete' : undefined;
      if (size === 0) break;
      if (size < boxHeaderSize) return undefined;
      at += size;
    }
    return 'missing';
  });
}
