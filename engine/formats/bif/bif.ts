import { open } from 'node:fs/promises';
import { MalformedFile } from '../malformed-file.ts';
import { OutputFile } from '../output-file.ts';

/**
 * Roku's base index frames (BIF), as described in Roku's developer pages ("Trick mode"). A header is followed by an
 * entry with time and offset for each JPEG, an entry for their end, and the JPEGs. All numbers are little-endian.
 */
const magic = Buffer.from([0x89, 0x42, 0x49, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]);
const headerBytes = 64;
const entryBytes = 8;
/** Time of the last entry. */
const endOfIndex = 0xffff_ffff;

/** Writes a file of `count` pictures. `read` returns the bytes of one picture. */
export async function writeBif(
  path: string,
  { count, intervalMs }: { count: number; intervalMs: number },
  read: (index: number) => Promise<Buffer>,
): Promise<void> {
  const head = Buffer.alloc(headerBytes + entryBytes * (count + 1));
  magic.copy(head);
  head.writeUInt32LE(count, 12);
  head.writeUInt32LE(intervalMs, 16);
  await OutputFile.write(path, async (output) => {
    // The entries are known after the pictures.
    await output.append(head);
    let at = head.length;
    for (let index = 0; index < count; index += 1) {
      const picture = await read(index);
      head.writeUInt32LE(index, headerBytes + entryBytes * index);
      head.writeUInt32LE(at, headerBytes + entryBytes * index + 4);
      await output.append(picture);
      at += picture.length;
    }
    head.writeUInt32LE(endOfIndex, headerBytes + entryBytes * count);
    head.writeUInt32LE(at, headerBytes + entryBytes * count + 4);
    await output.overwrite(0, head);
  });
}

/** Throws unless the file has `count` pictures, each at its offset and with both JPEG markers. */
export async function checkBif(path: string, planned: { count: number; intervalMs: number }): Promise<void> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const head = Buffer.alloc(headerBytes + entryBytes * (planned.count + 1));
    await handle.read(head, 0, head.length, 0);
    const isOurs = head.subarray(0, magic.length).equals(magic) && head.readUInt32LE(12) === planned.count;
    if (!isOurs || head.readUInt32LE(16) !== planned.intervalMs) throw new MalformedFile('a BIF with another header');
    const entryAt = (index: number): [time: number, place: number] => {
      const at = headerBytes + entryBytes * index;
      return [head.readUInt32LE(at), head.readUInt32LE(at + 4)];
    };
    for (let index = 0; index < planned.count; index += 1) {
      const [[time, from], [, to]] = [entryAt(index), entryAt(index + 1)];
      const ends = Buffer.alloc(4);
      await handle.read(ends, 0, 2, from);
      await handle.read(ends, 2, 2, to - 2);
      if (time !== index || to <= from || ends.toString('hex') !== 'ffd8ffd9') {
        throw new MalformedFile(`a BIF whose picture ${index} is not in its place`);
      }
    }
    const [time, end] = entryAt(planned.count);
    if (time !== endOfIndex || end !== size) throw new MalformedFile('a BIF that does not end where it says');
  } finally {
    await handle.close();
  }
}
