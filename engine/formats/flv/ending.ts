import type { Ending } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';

/** Adobe Flash Video File Format Specification 10.1, annex E. */
const tagHeaderBytes = 11;

/** The script tag with the file's metadata comes first. */
const metadataBytes = 64 * 1024;

/**
 * Reads a number of `onMetaData` (AMF 0: the length of its name, the name, type 0, and 8 bytes). A value of 0 was never
 * filled in.
 */
function findNumber(head: Buffer, name: string): number | undefined {
  const at = head.indexOf(`\0${String.fromCharCode(name.length)}${name}\0`, 0, 'latin1');
  const value = at < 0 ? -1 : at + name.length + 3;
  if (value < 0 || value + 8 > head.length) return undefined;
  const number = head.readDoubleBE(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

/** Every tag is followed by its size. */
async function endsWithWholeTag(file: WindowedFile): Promise<boolean> {
  const size = (await file.read(file.size - 4, 4)).readUInt32BE();
  if (size < tagHeaderBytes || size + 4 > file.size) return false;
  const tag = await file.read(file.size - 4 - size, tagHeaderBytes);
  return tag.readUIntBE(1, 3) + tagHeaderBytes === size;
}

async function findEnding(file: WindowedFile): Promise<Ending> {
  if (file.size < 32) return { kind: 'unknown' };
  const head = await file.read(0, metadataBytes);
  const declaredBytes = findNumber(head, 'filesize');
  // Length of the whole file, and therefore of its longest stream.
  const declaredSeconds = findNumber(head, 'duration') ?? 'none';
  if (declaredBytes !== undefined && declaredBytes <= file.size) return { kind: 'whole', declaredSeconds: 'none' };
  const isCut = declaredBytes !== undefined || !(await endsWithWholeTag(file));
  return { kind: isCut ? 'cut' : 'unknown', declaredSeconds };
}

export async function readFlvEnding(path: string): Promise<Ending> {
  return await WindowedFile.use(path, findEnding);
}
